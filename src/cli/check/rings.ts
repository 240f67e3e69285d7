/**
 * @module
 * `--ring all`: one check for each ring of n nodes. A ring that is turned is the same ring, because a node knows only
 * its neighbours. So the first node of each ring is node 1. A ring and its mirror image count as two: a message that
 * goes round clockwise meets the nodes in the other order.
 */

import type { CheckResult } from '../../checking/check.ts';
import type { CheckRequest } from '../../checking/check-request.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { checkAnswer, checkedInstance, resultName } from '../../experiment/checks/answer.ts';
import { refuseSave } from '../elect/save.ts';
import type { TraceOptions } from '../elect/trace.ts';
import { refuseTrace } from '../elect/trace.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { columns, formatCount } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { wantsJson } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { RunningOptions } from './explore.ts';
import { explore } from './explore.ts';
import { checkText, EXITS } from './report.ts';
import { writeResult } from './save.ts';

/** Nodes of `--ring all`: 7 have 720 rings, and 8 would have 5040. */
const NODES_MAX = 7;

export interface RingOptions extends RunningOptions, OutputOptions, TraceOptions {
  readonly property?: readonly string[];
  readonly interactive?: true;
  readonly save?: string;
}

/** The result of one ring. */
interface CheckedRing {
  readonly request: CheckRequest;
  readonly result: CheckResult;
}

/** All rings of nodes 1..n, each once. */
export function ringsOf(nodes: number): number[][] {
  let rings = [[1]];
  for (let rank = 2; rank <= nodes; rank += 1) {
    rings = rings.flatMap((ring) => ring.map((_, at) => ring.toSpliced(at + 1, 0, rank)));
  }
  return rings.toSorted((left, right) => (left.join() < right.join() ? -1 : 1));
}

/** Throws LabError `arguments` for a ring of another number of nodes. */
export function refuseNodes(given: {
  readonly nodes?: number;
  readonly ring?: readonly number[] | 'all';
}): void {
  const { nodes, ring } = given;
  if (nodes === undefined || ring === undefined || ring === 'all' || ring.length === nodes) return;
  const detail = `--ring has ${ring.length} nodes, and --nodes says ${nodes}: leave --nodes out`;
  throw new LabError('arguments', detail);
}

/** Throws LabError `arguments` for a check that cannot have all rings. */
function refuseRings(
  { protocol, ring, walks }: CheckRequest,
  { interactive, checkpoint, resume }: RingOptions,
): void {
  const others = { interactive, checkpoint, resume, walks };
  const [other] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (other !== undefined) {
    throw new LabError('arguments', `--${other} is of one ring, and --ring all of many: name one`);
  }
  if (PROTOCOLS[protocol].family !== 'ring') {
    throw new LabError('arguments', `${protocol} uses no ring: leave --ring all out`);
  }
  if (ring.length > NODES_MAX) {
    const detail = `--ring all takes at most ${NODES_MAX} nodes, which have 720 rings: name one`;
    throw new LabError('arguments', detail);
  }
}

/** Checks the request on every ring. Prints all results, and the whole of the worst, whose exit code it returns. */
export async function checkRings(
  request: CheckRequest,
  options: RingOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  refuseRings(request, options);
  await refuseSave(options);
  await refuseTrace(options, request.ring.length);
  const rings = ringsOf(request.ring.length);
  const done: CheckedRing[] = [];
  let isStopped = false;
  for (const ring of rings) {
    const asked = { ...request, ring };
    const label = `ring ${done.length + 1} of ${rings.length}: `;
    const explored = await explore(asked, { ...options, label }, terminal);
    done.push({ request: asked, result: explored.result });
    isStopped = explored.isStopped;
    if (isStopped) break;
  }
  const worst = worstOf(done);
  const isChosen = options.property !== undefined;
  if (wantsJson(options)) {
    const answers = done.map((each) =>
      checkAnswer(checkedInstance(each.request, isChosen), each.result),
    );
    const members = {
      result: resultName(worst.result),
      rings: rings.length,
      worst: worst.request.ring,
      answers,
    };
    terminal.print(`${JSON.stringify(members)}\n`);
  } else {
    const shown = `ring ${worst.request.ring.join()}:\n${checkText(checkedInstance(worst.request, isChosen), worst.result)}`;
    terminal.print(`${tableOf(done)}\n${totalsOf(done, rings.length)}\n\n${shown}`);
  }
  const { result } = worst;
  await writeResult(worst.request, result, options, terminal);
  return isStopped ? EXIT.interrupted : EXITS[result.type];
}

/** A violation with the fewest actions, else a capped search, else the search with the most worlds. */
function worstOf(done: readonly CheckedRing[]): CheckedRing {
  const orderOf = ({ result }: CheckedRing): readonly [kind: number, size: number] => {
    if (result.type === 'violated') return [0, result.trace.actions.length];
    return [result.type === 'capped' ? 1 : 2, -result.counts.states];
  };
  const [worst] = done.toSorted((left, right) => {
    const [kind, size] = orderOf(left);
    const [otherKind, otherSize] = orderOf(right);
    return kind - otherKind || size - otherSize;
  });
  if (worst === undefined) throw new RangeError('"rings" expected at least one');
  return worst;
}

function tableOf(done: readonly CheckedRing[]): string {
  const rows = done.map(({ request, result }) => {
    const { states, transitions, depth } = result.counts;
    const counts = [formatCount(states), formatCount(transitions), String(depth)];
    const found =
      result.type === 'violated'
        ? `${result.property.name} after ${result.trace.actions.length} actions`
        : '';
    return [request.ring.join(), resultName(result), ...counts, found];
  });
  return columns([['ring', 'result', 'worlds', 'transitions', 'depth', ''], ...rows]);
}

function totalsOf(done: readonly CheckedRing[], rings: number): string {
  const count = (name: ReturnType<typeof resultName>) =>
    done.filter(({ result }) => resultName(result) === name).length;
  const sum = (of: 'states' | 'transitions') =>
    formatCount(done.reduce((total, { result }) => total + result.counts[of], 0));
  const kinds = (['exhausted', 'violated', 'reachable', 'capped'] as const)
    .filter((name) => count(name) > 0)
    .map((name) => `${count(name)} ${name}`);
  const checked = done.length < rings ? `${done.length} of ${rings}` : `${rings}`;
  return `${checked} rings: ${kinds.join(', ')}; ${sum('states')} worlds, ${sum('transitions')} transitions`;
}
