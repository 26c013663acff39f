// Handles the mouse (or a pen, or a finger) on a pane's canvas.
// @ts-check
import {arrowAt, follow} from './arrows.js';
import {whichCall} from './draw.js';
import {STRIP_HEIGHT, RULER} from './ruler.js';

/** @typedef {import('./pane.js').Pane} Pane */

const CLICK = 4;

/** @param {Pane} pane */
export function listenToMouse(pane) {
  const {canvas, app} = pane;
  /** @type {{what: 'pan' | 'range' | 'strip', x: number, y: number, from: number, span: number, scroll: number, anchor: number, isMoved: boolean} | null} */
  let drag = null;
  const place = (/** @type {MouseEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  };

  canvas.addEventListener('pointerdown', (event) => {
    if (event.button > 1)
      return;
    const {x, y} = place(event), {axis} = pane;
    const what = y < STRIP_HEIGHT + 2 ? 'strip' : y < RULER || event.shiftKey ? 'range' : 'pan';
    drag = {what, x, y, from: axis.from, span: axis.span, scroll: pane.body.scrollTop, anchor: axis.time(x, pane.width), isMoved: false};
    canvas.setPointerCapture(event.pointerId);
    if (what === 'strip')
      moveStrip(x);
  });
  const moveStrip = (/** @type {number} */ x) => {
    const {axis} = pane, middle = x / pane.width * axis.limit, span = axis.span;
    axis.set(middle - span / 2, middle + span / 2);
  };

  canvas.addEventListener('pointermove', (event) => {
    const {x, y} = place(event), {axis} = pane;
    if (!drag) {
      app.setHover(pane, pane.hitAt(x, y), event.clientX, event.clientY);
      canvas.style.cursor = y < STRIP_HEIGHT + 2 ? 'ew-resize' : y < RULER ? 'col-resize' : app.hover || arrowAt(pane, x, y) ? 'pointer' : 'default';
      return;
    }
    if (!drag.isMoved && Math.hypot(x - drag.x, y - drag.y) < CLICK)
      return;
    drag.isMoved = true;
    app.setHover(pane, null, 0, 0);
    if (drag.what === 'strip')
      moveStrip(x);
    else if (drag.what === 'range') {
      const time = axis.time(Math.min(Math.max(x, 0), pane.width), pane.width);
      app.setRange(pane, Math.min(drag.anchor, time), Math.max(drag.anchor, time));
    } else {
      canvas.style.cursor = 'grabbing';
      app.stopFollowing();
      const from = drag.from - (x - drag.x) / pane.width * drag.span;
      axis.set(from, from + drag.span);
      pane.body.scrollTop = drag.scroll - (y - drag.y);
    }
  });
  canvas.addEventListener('pointerup', (event) => {
    const {x, y} = place(event), done = drag;
    drag = null;
    if (!done || done.isMoved || event.button !== 0)
      return;
    if (done.what === 'range' && y < RULER) {
      app.clearRange();
      return;
    }
    const arrow = y < RULER ? null : arrowAt(pane, x, y);
    if (arrow) {
      follow(pane, arrow);
      return;
    }
    const row = pane.rows.at(y - RULER + pane.body.scrollTop);
    if (row)
      pane.activate(row);
    const hit = pane.hitAt(x, y);
    if (!hit)
      app.select(null);
    else {
      const which = whichCall(hit, pane.axis.time(x, pane.width));
      if (!which)
        return;
      if (event.shiftKey && app.selected) {
        app.mark(app.selected);
        app.compare();
      }
      void app.selectCall(pane, hit.row.thread, which, false);
    }
  });
  canvas.addEventListener('pointercancel', () => {
    drag = null;
  });
  canvas.addEventListener('pointerleave', () => app.setHover(pane, null, 0, 0));
  canvas.addEventListener('dblclick', (event) => {
    const {x, y} = place(event), hit = pane.hitAt(x, y);
    if (hit) {
      const begin = hit.picture.begin[hit.item], end = hit.picture.end[hit.item], edge = Math.max((end - begin) * 0.05, 1);
      pane.axis.jump(begin - edge, end + edge);
    }
  });

  canvas.addEventListener('wheel', (event) => {
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? 300 : 1;
    const sideways = (event.shiftKey && !event.deltaX ? event.deltaY : event.deltaX) * unit, {x, y} = place(event), {axis} = pane;
    event.preventDefault();
    app.stopFollowing();
    if (event.altKey)
      pane.body.scrollTop += event.deltaY * unit;
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      axis.pan(sideways / pane.width * axis.span);
    else
      axis.zoom(Math.exp(Math.max(-300, Math.min(300, event.deltaY * unit)) * (event.ctrlKey ? 0.01 : 0.002)), axis.time(x, pane.width));
    app.setHover(pane, pane.hitAt(x, y), event.clientX, event.clientY);
  }, {passive: false});
}
