/**
 * @module
 * `--ring all`: one check for each ring of n nodes (experiment/checks/rings.ts).
 */

import type { CheckRequest } from '../../checking/check-request.ts';
import { LabError } from '../../errors.ts';
import { checkAnswer, checkedInstance, resultName } from '../../experiment/checks/answer.ts';
import type { CheckedRing } from '../../experiment/checks/rings.ts';
import { ringRows, ringsOf, whyNoRings, worstOf } from '../../experiment/checks/rings.ts';
import { formatCount } from '../../operations/figures.ts';
import { refuseSave } from '../elect/save.ts';
import type { TraceOptions } from '../elect/trace.ts';
import { refuseTrace } from '../elect/trace.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { columns } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { wantsJson } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { RunningOptions } from './explore.ts';
import { explore } from './explore.ts';
import { checkText, EXITS } from './report.ts';
import { writeResult } from './save.ts';

export interface RingOptions extends RunningOptions, OutputOptions, TraceOptions {
  readonly property?: readonly string[];
  readonly interactive?: true;
  readonly save?: string;
}

/** Throws LabError `arguments` if --nodes contradicts --ring. */
export function refuseNodes(given: {
  readonly nodes?: number;
  readonly ring?: readonly number[] | 'all';
}): void {
  const { nodes, ring } = given;
  if (nodes === undefined || ring === undefined || ring === 'all' || ring.length === nodes) return;
  const detail = `--ring has ${ring.length} nodes, but --nodes is ${nodes}: remove --nodes`;
  throw new LabError('arguments', detail);
}

/** Throws LabError `arguments` for a check to which --ring all does not apply. */
function refuseRings(
  request: CheckRequest,
  { interactive, checkpoint, resume }: RingOptions,
): void {
  const others = { interactive, checkpoint, resume, walks: request.walks };
  const [other] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (other !== undefined) {
    throw new LabError(
      'arguments',
      `--${other} needs one ring: name its ranks instead of --ring all`,
    );
  }
  const reason = whyNoRings(request);
  if (reason !== null) throw new LabError('arguments', `${reason}: remove --ring all`);
}

/**
 * Checks the request on every ring. Prints one line for each ring, and the whole result of the worst one. Returns the
 * exit code of the worst one.
 */
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

function tableOf(done: readonly CheckedRing[]): string {
  const rows = ringRows(done).map(({ ring, result, states, transitions, ...row }) => {
    const counts = [formatCount(states), formatCount(transitions), String(row.depth)];
    const found = row.property === null ? '' : `${row.property} after ${row.actions} actions`;
    return [ring.join(), result, ...counts, found];
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
