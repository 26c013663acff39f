// The panel with the flame graph of the chosen range, and the panel with a function between its callers and callees.
// @ts-check
import {getFlame} from './api.js';
import {PathTree, calleesOf, callersOf} from './call_paths.js';
import {make} from './dom.js';
import {FlameChart} from './flame_chart.js';
import {duration, counted} from './numbers.js';
import {ScopePanel} from './panel.js';

/** @typedef {{nodes: import('./api.js').FlameNode[], is_cut: boolean}} Flame */
/** @typedef {import('./pane.js').Pane} Pane */
/** @typedef {import('./app.js').App} App */

/** @extends {ScopePanel<Flame>} */
class PathPanel extends ScopePanel {
  /** @param {Pane} pane @param {import('./api.js').Scope} scope @param {AbortSignal} signal */
  ask(pane, scope, signal) {
    return getFlame(scope, signal);
  }
  /** @param {Pane} pane @param {Flame} answer */
  show(pane, answer) {
    if (answer.is_cut)
      this.caption.append('; small paths are left out');
  }
}

export class FlamePanel extends PathPanel {
  /** @param {App} app */
  constructor(app) {
    super(app, 'flame', 'Flame graph');
    this.chart = new FlameChart(false, 'calls by path; a bar is as wide as its time', (id) => app.choose(app.scope().pane, id));
    this.content.append(this.chart.element);
    this.element.append(this.chart.details);
  }
  /** @param {Pane} pane @param {Flame} answer */
  show(pane, answer) {
    super.show(pane, answer);
    const tree = new PathTree(answer.nodes);
    this.caption.append(answer.nodes.length ? `: ${counted(answer.nodes.length, 'path')}, ${duration(tree.width)}` : ': no call');
    this.chart.show(tree, (id) => pane.session.name(id));
  }
}

export class SandwichPanel extends PathPanel {
  /** @param {App} app */
  constructor(app) {
    super(app, 'sandwich', 'Sandwich');
    const choose = (/** @type {number} */ id) => app.choose(app.scope().pane, id);
    this.above = new FlameChart(true, 'callers, the nearest below', choose);
    this.below = new FlameChart(false, 'callees', choose);
    this.below.details = this.above.details;
    this.middle = make('p', 'middle');
    this.content.append(this.above.element, this.middle, this.below.element);
    this.element.append(this.above.details);
  }
  /** @param {import('./app.js').Change} what */
  changes(what) {
    return super.changes(what) || what === 'chosen' || what === 'selected';
  }
  /** @param {Pane} pane */
  extra(pane) {
    return [pane.session.id, this.app.functionOf(pane)];
  }
  /** @param {Pane} pane @param {import('./api.js').Scope} scope @param {AbortSignal} signal */
  async ask(pane, scope, signal) {
    return this.app.functionOf(pane) < 0 ? {nodes: [], is_cut: false} : super.ask(pane, scope, signal);
  }
  /** @param {Pane} pane @param {Flame} answer */
  show(pane, answer) {
    const id = this.app.functionOf(pane);
    super.show(pane, answer);
    if (id < 0) {
      this.middle.textContent = 'Choose a call or, in Statistics, a function to see its callers above it and its callees below.';
      this.above.show(new PathTree([]), String);
      this.below.show(new PathTree([]), String);
      return;
    }
    const name = (/** @type {number} */ of) => pane.session.name(of), callers = callersOf(answer.nodes, id), callees = calleesOf(answer.nodes, id);
    this.middle.textContent = callees.nodes.length ? `▲ callers of ${name(id)} · its callees ▼` : `${name(id)} is not called in this range.`;
    this.above.show(callers, name);
    this.below.show(callees, name);
  }
}
