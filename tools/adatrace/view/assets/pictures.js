// Requests the server's pictures of threads ahead of need, keeps them, and provides them for drawing, also while better
// ones are on their way.
// @ts-check
import {rangesText} from './numbers.js';
import {askPicture, callOff} from './picture_tasks.js';

/** @typedef {import('./picture_worker.js').Columns} Columns */

/** Requests consist of units of this many pixels, and ask for this many units beyond the visible ones on each side. */
const UNIT = 512, MARGIN = 1;
const OPEN = 2;
const MOST_REQUESTS = 2, MOST_THREADS = 16, MOST_ITEMS = 4e6, RETRY_MS = 2000;

/** A picture of one thread. */
export class Picture {
  /** @param {Columns} columns @param {number} from @param {number} to @param {number} level @param {number} generation @param {number} knownEnd */
  constructor(columns, from, to, level, generation, knownEnd) {
    this.from = from;
    this.to = to;
    this.isExact = columns.exact;
    this.level = level;
    this.generation = generation;
    this.knownEnd = knownEnd;
    /** Largest number of calls that are open at the same time. */
    this.levels = columns.levels;
    this.count = columns.begin.length;
    this.depth = columns.depth;
    this.begin = columns.begin;
    this.end = columns.end;
    this.function = columns.function;
    this.kind = columns.kind;
    this.seq = columns.seq;
    this.calls = columns.count;
    this.fill = columns.fill;
    // An open call ends at the end of the range, but not after the end of the session.
    for (let i = 0; i < this.count; ++i)
      if (this.kind[i] === OPEN)
        this.end[i] = Math.max(Math.min(this.end[i], knownEnd), this.begin[i]);
    /** Set by the first drawing: the items sorted by colour and by length. @type {{byFill: Uint32Array, fills: Uint16Array, byLength: Uint32Array, names: number} | null} */
    this.order = null;
    /** Set when it is first needed: what its waits are for. @type {{kinds: Map<number, import('./thread_states.js').WaitKind>, names: number} | null} */
    this.waits = null;
    this.used = 0;
  }
  /** @param {number} from @param {number} to */
  covers(from, to) {
    return this.from <= from && this.to >= to;
  }
}

/** @typedef {{threads: Set<number>, level: number, from: number, to: number, generation: number, id: number}} Request */

export class Pictures {
  /** @param {number} session @param {{arrived: () => void, failed: (text: string) => void, sawFunction: (id: number) => void}} listener */
  constructor(session, listener) {
    this.session = session;
    this.listener = listener;
    /** @type {Map<number, Picture[]>} */
    this.kept = new Map();
    /** @type {Request[]} */
    this.requests = [];
    this.items = 0;
    this.clock = 0;
    this.pausedUntil = 0;
    /** Pictures of an older generation are drawn until a newer one arrives. */
    this.generation = 0;
    this.end = 0;
  }

  /** Call when the trace has grown or its index is ready. @param {number} end @param {boolean} isBetter */
  refresh(end, isBetter) {
    this.end = end;
    if (isBetter)
      ++this.generation;
  }

  clear() {
    this.kept.clear();
    ++this.generation;
  }

  /** @param {number} nsPerPixel pictures have 1, 2, 4… nanoseconds per pixel */
  static level(nsPerPixel) {
    // Boxes are one to two pixels wide: half as many boxes show as much and take a fraction of the time to draw.
    return Math.max(0, Math.ceil(Math.log2(nsPerPixel) - 0.1));
  }

  /** @param {Picture | Request} picture @param {number} level @param {number} from @param {number} to */
  satisfies(picture, level, from, to) {
    if (picture.level !== level || picture.generation !== this.generation || picture.from > from)
      return false;
    return picture instanceof Picture ? picture.to >= to && (picture.to <= picture.knownEnd || picture.knownEnd >= this.end) : picture.to >= to;
  }

  /** Requests the missing parts of a view. Costs next to nothing if none are missing. @param {number[]} threads @param {number} from @param {number} to @param {number} width */
  want(threads, from, to, width) {
    const level = Pictures.level((to - from) / width), unit = UNIT * 2 ** level;
    const first = Math.max(0, from), last = Math.max(Math.min(to, this.end), first);
    this.requests = this.requests.filter((request) => {
      const isWanted = Math.abs(request.level - level) <= 1 && request.from < last && request.to > first;
      if (!isWanted)
        callOff(request.id);
      return isWanted;
    });
    const missing = threads.filter((thread) =>
      !this.kept.get(thread)?.some((picture) => this.satisfies(picture, level, first, last)) &&
      !this.requests.some((request) => request.threads.has(thread) && this.satisfies(request, level, first, last)));
    if (performance.now() < this.pausedUntil)
      return;
    while (missing.length && this.requests.length < MOST_REQUESTS)
      this.request(missing.splice(0, MOST_THREADS), level, Math.max(0, Math.floor(first / unit - MARGIN) * unit),
        Math.ceil(last / unit + MARGIN) * unit);
  }

  /** @param {number[]} threads @param {number} level @param {number} from @param {number} to */
  async request(threads, level, from, to) {
    const {generation, end} = this, pixels = Math.round((to - from) / 2 ** level);
    const {id, result} = askPicture({session: this.session, threads: rangesText(threads, ','), from, to, pixels});
    const request = {id, threads: new Set(threads), level, from, to, generation};
    this.requests.push(request);
    try {
      // The picture covers the whole requested range, even if the server limited the range to the trace.
      for (const columns of await result ?? []) {
        this.keep(columns.thread, new Picture(columns, from, to, level, generation, end));
        this.listener.sawFunction(columns.lastFunction);
      }
    } catch (error) {
      this.pausedUntil = performance.now() + RETRY_MS;
      window.setTimeout(this.listener.arrived, RETRY_MS);
      this.listener.failed(error instanceof Error ? error.message : String(error));
      return;
    } finally {
      this.requests = this.requests.filter((other) => other !== request);
    }
    this.listener.arrived();
  }

  /** @param {number} thread @param {Picture} picture */
  keep(thread, picture) {
    const old = this.kept.get(thread) || [];
    // A new picture replaces older ones of the same level in its range.
    const rest = old.filter((other) => !(other.level === picture.level && picture.covers(other.from, other.to)));
    this.kept.set(thread, [...rest, picture]);
    picture.used = ++this.clock;
    this.items = 0;
    for (const pictures of this.kept.values())
      for (const {count} of pictures)
        this.items += count + 500;
    if (this.items > MOST_ITEMS)
      this.forget();
  }

  /** Drops the half of the pictures that has not been drawn for the longest time. */
  forget() {
    const used = [...this.kept.values()].flat().map((picture) => picture.used).sort((a, b) => a - b);
    const middle = used[used.length >> 1];
    for (const [thread, pictures] of this.kept)
      this.kept.set(thread, pictures.filter((picture) => picture.used > middle));
  }

  /** The pictures to draw for a thread, in drawing order: each hides the earlier ones in its range. @param {number} thread @param {number} from @param {number} to @param {number} width @returns {Picture[]} */
  layers(thread, from, to, width) {
    const pictures = this.kept.get(thread) || [], level = Pictures.level((to - from) / width);
    const first = Math.max(0, from), last = Math.max(first, Math.min(to, this.end));
    const best = pictures.find((picture) => this.satisfies(picture, level, first, last));
    if (best) {
      best.used = ++this.clock;
      return [best];
    }
    const near = pictures.filter((picture) => picture.to > first && picture.from < last && picture.level > level - 6);
    // Coarse pictures at the bottom; within a level, old ones below new ones.
    near.sort((a, b) => b.level - a.level || a.generation - b.generation || a.used - b.used);
    const whole = near.findLastIndex((picture) => picture.level <= level && picture.covers(first, last));
    const drawn = near.slice(Math.max(whole, 0), whole < 0 ? undefined : whole + 1);
    for (const picture of drawn)
      picture.used = ++this.clock;
    return drawn;
  }

  get isBusy() {
    return this.requests.length > 0;
  }
}
