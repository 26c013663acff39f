// The visible range of time, and how it moves.
// @ts-check

const SHORTEST = 10, GLIDE_MS = 140;

export class Axis {
  /** @param {number} limit the end of the session, in nanoseconds @param {() => void} changed */
  constructor(limit, changed) {
    this.limit = Math.max(limit, SHORTEST);
    this.changed = changed;
    this.from = 0;
    this.to = this.limit;
    /** @type {[number, number][]} ranges that were visible before jumps */
    this.before = [];
    this.gliding = 0;
    this.goal = [this.from, this.to];
  }

  get span() {
    return this.to - this.from;
  }
  /** @param {number} x @param {number} width in pixels */
  time(x, width) {
    return this.from + x / width * this.span;
  }
  /** @param {number} time @param {number} width in pixels */
  x(time, width) {
    return (time - this.from) / this.span * width;
  }

  /** Limits a range to little more than the session, and to one that includes a part of the session. @param {number} from @param {number} to @returns {[number, number]} */
  clamp(from, to) {
    const span = Math.min(Math.max(to - from, SHORTEST), this.limit * 1.05);
    const middle = Math.min(Math.max((from + to) / 2, Math.min(span * 0.45, this.limit / 2)), Math.max(this.limit - span * 0.45, this.limit / 2));
    return [middle - span / 2, middle + span / 2];
  }

  /** @param {number} from @param {number} to */
  set(from, to) {
    cancelAnimationFrame(this.gliding);
    this.gliding = 0;
    [this.from, this.to] = this.goal = this.clamp(from, to);
    this.changed();
  }
  /** @param {number} factor below 1 zooms in @param {number} at the time that stays in place */
  zoom(factor, at) {
    const wanted = Math.max(this.span * factor, SHORTEST) / this.span;
    this.set(at - (at - this.from) * wanted, at + (this.to - at) * wanted);
  }
  /** @param {number} time */
  pan(time) {
    this.set(this.from + time, this.to + time);
  }

  /** Moves there smoothly, or at once for people who prefer reduced motion. @param {number} from @param {number} to */
  glide(from, to) {
    const goal = this.clamp(from, to);
    if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.set(...goal);
      return;
    }
    cancelAnimationFrame(this.gliding);
    const start = performance.now(), [oldFrom, oldTo] = [this.from, this.to];
    const oldSpan = this.span, newSpan = goal[1] - goal[0];
    this.goal = goal;
    // The span changes by a constant factor per unit of time, so that a zoom from hours to nanoseconds looks even.
    const step = () => {
      const part = Math.min(1, (performance.now() - start) / GLIDE_MS);
      const span = oldSpan * (newSpan / oldSpan) ** part;
      const done = Math.abs(newSpan - oldSpan) < oldSpan * 1e-9 ? part : (span - oldSpan) / (newSpan - oldSpan);
      this.from = part === 1 ? goal[0] : oldFrom + (goal[0] - oldFrom) * done;
      this.to = part === 1 ? goal[1] : oldTo + (goal[1] - oldTo) * done;
      this.gliding = part === 1 ? 0 : requestAnimationFrame(step);
      this.changed();
    };
    step();
  }
  /** Like glide, but remembers the range that was visible. @param {number} from @param {number} to */
  jump(from, to) {
    this.before.push([this.goal[0], this.goal[1]]);
    if (this.before.length > 100)
      this.before.shift();
    this.glide(from, to);
  }
  back() {
    const last = this.before.pop();
    if (last)
      this.glide(...last);
  }
}
