// Fills a disk, except for some pages.
#include <ada/attributes.h>
#include <fcntl.h>
#include <unistd.h>

// Writes the file `path` until the disk is full, then removes that many pages of it. Returns the open file, or -1.
ADA_NEVER static inline int fillDisk(const char *path, long pagesLeft) {
  int fd = open(path, O_RDWR | O_CREAT, 0600);
  static char page[4096];
  while (write(fd, page, sizeof page) == sizeof page)
    ;
  return ftruncate(fd, lseek(fd, 0, SEEK_END) / 4096 * 4096 - 4096 * pagesLeft) ? -1 : fd;
}
