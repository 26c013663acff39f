// Draws a tree of paths as bars, downwards or upwards. A click or Enter zooms, and the arrow keys move between bars.
// @ts-check
import {button, make} from './dom.js';
import {counted, duration, percent} from './numbers.js';
import {colourOf} from './theme.js';

/** @typedef {import('./call_paths.js').PathTree} PathTree */

const ROW = 18, NARROWEST = 1;

export class FlameChart {
  /** @param {boolean} isUp @param {string} label @param {(id: number) => void} choose */
  constructor(isUp, label, choose) {
    this.isUp = isUp;
    this.choose = choose;
    this.path = make('nav', 'path');
    this.path.setAttribute('aria-label', `${label}: the path that is zoomed in to`);
    this.chart = make('div', 'chart');
    this.chart.setAttribute('role', 'tree');
    this.chart.setAttribute('aria-label', label);
    this.details = make('p', 'details');
    this.element = make('div', 'flame-chart', this.path, this.chart);
    /** @type {PathTree | null} */
    this.tree = null;
    this.zoom = -1;
    this.focused = 0;
    /** @type {(id: number) => string} */
    this.name = String;
    new ResizeObserver(() => this.draw()).observe(this.chart);
    this.listen();
  }

  /** @param {PathTree} tree @param {(id: number) => string} name */
  show(tree, name) {
    this.tree = tree;
    this.name = name;
    this.zoom = -1;
    this.focused = 0;
    this.details.textContent = '';
    this.draw();
  }

  /** @param {number} node */
  describe(node) {
    const {nodes, width} = /** @type {PathTree} */ (this.tree), {total_ns, self_ns, calls} = nodes[node];
    return `${this.name(nodes[node].function)}: total ${duration(total_ns)} (${percent(total_ns, width)}), ` +
      `self ${duration(self_ns)} (${percent(self_ns, width)}), ${counted(calls, 'call')}`;
  }

  draw() {
    const {tree, zoom} = this, pixels = this.chart.clientWidth;
    if (!tree || !pixels)
      return;
    const rows = tree.deepest + 1, from = zoom < 0 ? 0 : tree.start[zoom], width = (zoom < 0 ? tree.width : tree.nodes[zoom].total_ns) || 1;
    this.chart.style.height = `${rows * ROW}px`;
    const bars = [], last = zoom < 0 ? tree.nodes.length : tree.end[zoom];
    for (let above = zoom < 0 ? -1 : tree.nodes[zoom].parent; above >= 0; above = tree.nodes[above].parent)
      bars.push(this.bar(above, 0, pixels, 'bar around'));
    for (let node = Math.max(zoom, 0); node < last;) {
      const wide = tree.nodes[node].total_ns / width * pixels;
      if (wide < NARROWEST) {
        node = tree.end[node];
        continue;
      }
      bars.push(this.bar(node, (tree.start[node] - from) / width * pixels, wide, 'bar'));
      ++node;
    }
    const hadFocus = this.chart.contains(document.activeElement);
    this.chart.replaceChildren(...bars);
    if (hadFocus)
      this.focus(this.focused);
    const path = [];
    for (let node = zoom; node >= 0; node = tree.nodes[node].parent)
      path.unshift(button(this.name(tree.nodes[node].function), () => this.zoomTo(node), 'link'), ' › ');
    this.path.replaceChildren(...(path.length ? [button('all', () => this.zoomTo(-1), 'link'), ' › ', ...path.slice(0, -1)] : []));
  }

  /** @param {number} node @param {number} left @param {number} width @param {string} className */
  bar(node, left, width, className) {
    const tree = /** @type {PathTree} */ (this.tree), name = this.name(tree.nodes[node].function), bar = make('div', className);
    const row = this.isUp ? tree.deepest - tree.depth[node] : tree.depth[node];
    bar.style.left = `${left}px`;
    bar.style.top = `${row * ROW}px`;
    bar.style.width = `${width}px`;
    bar.style.background = tree.nodes[node].function < -1 ? 'var(--recorder)' : tree.nodes[node].function < 0 ? 'var(--line)' : colourOf(name);
    bar.dataset.node = String(node);
    bar.tabIndex = node === this.focused ? 0 : -1;
    bar.setAttribute('role', 'treeitem');
    bar.setAttribute('aria-level', String(tree.depth[node] + 1));
    bar.setAttribute('aria-label', `${name}, ${duration(tree.nodes[node].total_ns)}`);
    if (width > 24)
      bar.textContent = name;
    return bar;
  }

  /** @param {number} node -1 is everything */
  zoomTo(node) {
    this.zoom = node;
    this.focused = Math.max(node, 0);
    this.draw();
    if (this.tree?.nodes.length)
      this.details.textContent = node < 0 ? '' : this.describe(node);
  }
  /** @param {number} node */
  focus(node) {
    this.focused = node;
    const bar = this.chart.querySelector(`[data-node="${node}"]`);
    if (bar instanceof HTMLElement) {
      bar.tabIndex = 0;
      bar.focus();
      this.details.textContent = this.describe(node);
    }
  }

  /** The neighbour in the direction of an arrow key. Skips bars that are too narrow to be drawn. @param {string} key @returns {number} */
  neighbour(key) {
    const {nodes, depth, end} = /** @type {PathTree} */ (this.tree), from = this.focused;
    const down = this.isUp ? 'ArrowUp' : 'ArrowDown', up = this.isUp ? 'ArrowDown' : 'ArrowUp';
    if (key === down)
      return end[from] > from + 1 ? from + 1 : from;
    if (key === up)
      return nodes[from].parent >= 0 ? nodes[from].parent : from;
    const step = key === 'ArrowRight' ? 1 : -1;
    for (let node = from + step; node >= 0 && node < nodes.length; node += step)
      if (depth[node] === depth[from] && this.chart.querySelector(`[data-node="${node}"]`))
        return node;
    return from;
  }

  listen() {
    const nodeOf = (/** @type {Event} */ event) => {
      const bar = event.target instanceof Element ? event.target.closest('.bar') : null;
      return bar instanceof HTMLElement ? Number(bar.dataset.node) : -1;
    };
    this.chart.addEventListener('click', (event) => nodeOf(event) >= 0 && this.zoomTo(nodeOf(event)));
    this.chart.addEventListener('mouseover', (event) => {
      if (nodeOf(event) >= 0)
        this.details.textContent = this.describe(nodeOf(event));
    });
    this.chart.addEventListener('focusin', (event) => {
      if (nodeOf(event) >= 0)
        this.details.textContent = this.describe(this.focused = nodeOf(event));
    });
    this.chart.addEventListener('keydown', (event) => {
      const node = nodeOf(event);
      if (node < 0 || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey)
        return;
      if (event.key.startsWith('Arrow'))
        this.focus(this.neighbour(event.key));
      else if (event.key === 'Enter')
        this.zoomTo(node);
      else if (event.key === 'Backspace' && this.tree)
        this.zoomTo(this.zoom < 0 ? -1 : this.tree.nodes[this.zoom].parent);
      else if (event.key === ' ' && this.tree)
        this.choose(this.tree.nodes[node].function);
      else
        return;
      event.preventDefault();
    });
    this.chart.addEventListener('contextmenu', (event) => {
      if (nodeOf(event) < 0 || !this.tree)
        return;
      event.preventDefault();
      this.choose(this.tree.nodes[nodeOf(event)].function);
    });
  }
}
