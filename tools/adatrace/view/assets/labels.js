// The names of a pane's rows, beside its canvas.
// Rows can be chosen, hidden, closed and moved: with the mouse here, and with keys in keys.js.
// @ts-check
import {button, make} from './dom.js';
import {RULER} from './ruler.js';

/** @typedef {import('./pane.js').Pane} Pane */
/** @typedef {import('./rows.js').Row} Row */

export class Labels {
  /** @param {Pane} pane */
  constructor(pane) {
    this.pane = pane;
    this.list = make('div', 'labels');
    this.list.tabIndex = 0;
    this.list.setAttribute('role', 'grid'); // a list must not contain buttons
    this.list.setAttribute('aria-label', `rows of ${pane.session.info.name}`);
    /** The state from which the elements were made. */
    this.made = '';
    /** @type {{key: string, target: string, behind: boolean} | null} */
    this.drag = null;
    this.listen();
  }

  /** Makes elements only for visible rows. @param {number} top @param {number} height of the visible part */
  draw(top, height) {
    const {rows} = this.pane, drag = this.drag;
    const shown = rows.shown.filter((row) => row.y + row.height > top - 100 && row.y < top + height + 100);
    const active = this.pane.row?.key;
    const made = `${rows.version} ${shown[0]?.key} ${shown.at(-1)?.key} ${active} ${drag ? `${drag.key} ${drag.target} ${drag.behind}` : ''}`;
    if (made === this.made)
      return;
    this.made = made;
    this.list.style.height = `${rows.height + RULER}px`;
    this.list.replaceChildren(...shown.map((row) => this.label(row, row.key === active)));
    const chosen = active === undefined ? null : document.getElementById(this.idOf(active));
    if (chosen)
      this.list.setAttribute('aria-activedescendant', chosen.id);
    else
      this.list.removeAttribute('aria-activedescendant');
  }

  /** @param {string} key */
  idOf(key) {
    return `row-${this.pane.session.id}-${key}`;
  }

  /** @param {Row} row @param {boolean} isActive */
  label(row, isActive) {
    const {session, rows} = this.pane, item = make('div', row.thread < 0 ? 'label process' : 'label thread');
    item.id = this.idOf(row.key);
    item.dataset.key = row.key;
    item.style.top = `${row.y + RULER}px`;
    item.style.height = `${row.height}px`;
    item.setAttribute('role', 'row');
    const cell = make('span', 'cell');
    cell.setAttribute('role', 'gridcell');
    item.setAttribute('aria-selected', String(isActive));
    let name, detail;
    if (row.thread < 0) {
      const process = session.info.processes.find(({id}) => id === row.process), isClosed = rows.closed.has(row.process);
      name = session.processName(row.process);
      detail = process?.pid && !name.includes(String(process.pid)) ? `pid ${process.pid}` : '';
      const toggle = button(isClosed ? '▸' : '▾', () => this.pane.close(row), 'fold');
      toggle.tabIndex = -1;
      toggle.setAttribute('aria-label', isClosed ? 'show its threads' : 'hide its threads');
      cell.append(toggle);
    } else {
      name = session.threadName(row.thread);
      detail = `tid ${session.thread(row.thread)?.tid}`;
    }
    item.title = detail ? `${name} (${detail})` : name;
    const hide = button('×', () => this.pane.hide(row), 'hide');
    hide.tabIndex = -1;
    hide.title = 'hide (x)';
    hide.setAttribute('aria-label', `hide ${name}`);
    cell.append(make('span', 'name', name), make('span', 'detail', detail), hide);
    item.append(cell);
    if (this.drag && this.drag.target === row.key && this.drag.key !== row.key)
      item.classList.add(this.drag.behind ? 'drop-behind' : 'drop-before');
    if (this.drag?.key === row.key)
      item.classList.add('dragged');
    return item;
  }

  /** @param {PointerEvent | MouseEvent} event */
  rowAt(event) {
    return this.pane.rows.at(event.clientY - this.list.getBoundingClientRect().top - RULER);
  }

  listen() {
    let key = '', startY = 0;
    this.list.addEventListener('pointerdown', (event) => {
      const row = this.rowAt(event);
      if (!row || event.button !== 0 || (event.target instanceof Element && event.target.closest('button')))
        return;
      this.pane.activate(row);
      [key, startY] = [row.key, event.clientY];
      this.list.setPointerCapture(event.pointerId);
    });
    this.list.addEventListener('pointermove', (event) => {
      if (!key || (!this.drag && Math.abs(event.clientY - startY) < 5))
        return;
      const row = this.rowAt(event), moved = this.pane.rows.shown.find((other) => other.key === key);
      const mayMove = row && moved && row.key[0] === key[0] && (row.thread < 0 || row.process === moved.process);
      this.drag = {key, target: key, behind: false};
      if (row && mayMove)
        this.drag = {key, target: row.key, behind: event.clientY - this.list.getBoundingClientRect().top - RULER > row.y + row.height / 2};
      this.pane.invalidate();
    });
    const end = (/** @type {boolean} */ isDone) => {
      if (isDone && this.drag && this.drag.target !== key)
        this.pane.changeRows(() => this.drag && this.pane.rows.move(key, this.drag.target, this.drag.behind));
      key = '';
      this.drag = null;
      this.pane.invalidate();
    };
    this.list.addEventListener('pointerup', () => end(true));
    this.list.addEventListener('pointercancel', () => end(false));
  }
}
