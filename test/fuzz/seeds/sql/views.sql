SELECT slice.name, thread.tid FROM slice JOIN thread_track ON slice.track_id = thread_track.id JOIN thread USING (utid)
