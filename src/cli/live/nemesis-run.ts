/**
 * @module
 * `usurp cluster up --nemesis`: disturbs a cluster by drawn faults until its time is over or it fails, and shrinks a
 * failure to a short script.
 */

import { LabError } from '../../errors.ts';
import { resourceWrites } from '../../live/check/last-state.ts';
import type { LiveRound, NemesisPlan } from '../../live/nemesis.ts';
import { drawRound, NEMESIS_KINDS, roundLines, scriptOf } from '../../live/nemesis.ts';
import type { ShrunkRounds } from '../../live/shrink-rounds.ts';
import { shrinkRounds } from '../../live/shrink-rounds.ts';
import { counted } from '../../operations/figures.ts';
import { chosenSeed } from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { refuseTarget, writeWhole } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { ClusterOptions } from './cluster-file.ts';
import { settingsOf } from './cluster-file.ts';
import type { Play, Played } from './play.ts';
import { carryOutAll, report, runPlay, scripted } from './play.ts';

/** How a run fails. The first of these that holds is its failure. */
const FAILURES = {
  model: 'the model does not take a step',
  epoch: 'two nodes led one epoch',
  'not-linearizable': 'the history of the clients is not linearizable',
  'late-write': 'the resource accepted a write after an operation of a later leader',
  ended: 'a node has ended by itself',
  'no-leader': 'the nodes followed no common leader after the faults',
} as const;
type Failure = keyof typeof FAILURES;

/** Rounds without a fault that are drawn one after the other. */
const EMPTY_ROUNDS_MAX = 100;

/** Runs the nemesis of the options. */
export async function runNemesis(
  action: 'up' | 'attack',
  options: ClusterOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { record, force, nemesis } = options;
  const beside =
    action === 'attack' ? 'attack' : ['script', 'file'].find((name) => name in options);
  if (beside !== undefined)
    throw new LabError(
      'arguments',
      `--nemesis draws the commands of up; leave out ${action === 'attack' ? beside : `--${beside}`}`,
    );
  if (record !== undefined) await refuseTarget(record, force === true);
  const { seed = chosenSeed() } = options;
  const kinds = nemesis === true || nemesis === undefined ? NEMESIS_KINDS : nemesis;
  const plan = { settings: settingsOf(options, action), kinds, seed };
  const disturbing = new Disturbing(plan, options.for * 1000);
  const played = await runPlay({
    action,
    options,
    terminal,
    carry: (play) => disturbing.carry(play),
  });
  const failure = failureOf(played);
  const rounds = disturbing.until(failure === 'model' ? defectTime(played) : null);
  const isShrunk = failure !== null && options.trials > 0 && !terminal.signal.aborted;
  const shrunk = isShrunk ? await shrink(rounds, failure, { ...options, seed }, terminal) : null;
  const lines = scriptOf(shrunk?.rounds ?? rounds);
  const { ended } = played.play;
  printResult({ options, terminal, plan, failure, ended, rounds, shrunk, lines });
  if (record !== undefined) {
    const head = `# --nemesis ${kinds.join(',')} --seed ${seed}${failure === null ? '' : `: ${FAILURES[failure]}`}`;
    const text = `${[head, ...lines].join('\n')}\n`;
    await writeWhole(record, text, { force: force === true, isPrivate: false });
    terminal.note(`script written to ${record}`);
  }
  if (terminal.signal.aborted) return EXIT.interrupted;
  if (failure !== null) return failure === 'no-leader' ? EXIT.unknown : EXIT.violated;
  if (played.play.failed !== null) return played.play.failed;
  return played.checkedExit;
}

/** Draws faults and carries them out, round by round. */
class Disturbing {
  readonly #plan: NemesisPlan;
  readonly #ms: number;
  readonly #rounds: { readonly faults: LiveRound; readonly t: number }[] = [];

  constructor(plan: NemesisPlan, ms: number) {
    this.#plan = plan;
    this.#ms = ms;
  }

  async carry(play: Play): Promise<void> {
    const deadline = performance.now() + this.#ms;
    await carryOutAll(play, scripted('wait', 'nemesis'));
    for (let round = 0; performance.now() < deadline && mayGoOn(play); round += 1) {
      const faults = drawRound(this.#plan, round);
      if (faults.length === 0) this.#assertAny(round);
      else {
        this.#rounds.push({ faults, t: Date.now() });
        await carryOutAll(play, scripted(roundLines(faults).join('\n'), 'nemesis'));
      }
    }
  }

  /** The rounds that had begun at this time; all with null. */
  until(t: number | null): readonly LiveRound[] {
    return this.#rounds.flatMap((round) => (t === null || round.t <= t ? [round.faults] : []));
  }

  #assertAny(round: number): void {
    if (this.#rounds.length > 0 || round < EMPTY_ROUNDS_MAX) return;
    const { kinds, settings } = this.#plan;
    const detail = `${settings.nodes} nodes of ${settings.protocol} can have no fault of ${kinds.join(', ')}; name other kinds`;
    throw new LabError('arguments', detail);
  }
}

function mayGoOn({ session, terminal, failed, hasAgreed, ended, writes }: Play): boolean {
  const hasFailed = failed !== null || !hasAgreed || ended.length > 0 || writes.lateWrites > 0;
  if (hasFailed || terminal.signal.aborted) return false;
  return session.clients?.judged().linearizable !== 'false';
}

function failureOf({ play, checked, clients }: Played): Failure | null {
  if (checked !== null && checked.replayed.defect !== null) return 'model';
  if (checked !== null && checked.clash !== null) return 'epoch';
  if (clients?.linearizable === 'false') return 'not-linearizable';
  const late = checked === null ? 0 : (resourceWrites(checked)?.lateWrites ?? 0);
  if (late > 0 || play.writes.lateWrites > 0) return 'late-write';
  if (play.ended.length > 0) return 'ended';
  return play.hasAgreed || play.terminal.signal.aborted ? null : 'no-leader';
}

/** When the node took the step that the model does not take, in ms since 1970. */
function defectTime({ checked }: Played): number | null {
  const { position = 0, record = 0 } = checked?.replayed.defect ?? {};
  const log = checked?.logs.find((each) => each.position === position);
  return log?.records[record]?.t ?? null;
}

/** Repeats the rounds with fresh clusters. */
async function shrink(
  rounds: readonly LiveRound[],
  failure: Failure,
  options: ClusterOptions,
  terminal: Terminal,
): Promise<ShrunkRounds> {
  const { trials: trialsMax, nemesis: _drawn, folder: _kept, trace: _traced, ...rest } = options;
  const silent = () => undefined;
  const muted = { ...terminal, print: silent, note: silent, complain: silent, progress: silent };
  let trial = 0;
  const fails = async (candidate: readonly LiveRound[]) => {
    trial += 1;
    const faults = counted(candidate.flat().length, 'fault');
    terminal.note(`${FAILURES[failure]}; trial ${trial} of at most ${trialsMax}, with ${faults}`);
    const commands = scripted(scriptOf(candidate).join('\n'), 'nemesis');
    const carry = (play: Play) => carryOutAll(play, commands);
    const run = { action: 'up' as const, options: { ...rest, trials: 0 }, terminal: muted };
    try {
      return failureOf(await runPlay({ ...run, carry })) === failure;
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      // A cluster that could not start must not take what is known of the failure with it.
      terminal.complain(`usurp: this trial shows nothing: ${error.message}`);
      return false;
    }
  };
  return shrinkRounds(rounds, { trialsMax, signal: terminal.signal, fails });
}

interface Result extends Pick<Play, 'options' | 'terminal' | 'ended'> {
  readonly plan: NemesisPlan;
  readonly failure: Failure | null;
  readonly rounds: readonly LiveRound[];
  readonly shrunk: ShrunkRounds | null;
  readonly lines: readonly string[];
}

function printResult({ options, terminal, plan, failure, rounds, ...found }: Result): void {
  const { ended, shrunk, lines } = found;
  const faults = rounds.flat().length;
  const json = {
    nemesis: {
      ...{ seed: plan.seed, kinds: plan.kinds, rounds: rounds.length, faults, failure },
      ...(failure === null ? {} : { ended, script: lines }),
      trials: shrunk?.trials ?? 0,
      reproduced: shrunk === null ? null : shrunk.rounds !== null,
      minimal: shrunk?.isMinimal ?? false,
    },
  };
  const drawn = `${counted(faults, 'fault')} in ${counted(rounds.length, 'round')} with seed ${plan.seed}`;
  if (failure === null) {
    report({ options, terminal }, json, `${drawn}: no failure`);
    return;
  }
  const trials = shrunk === null ? '' : ` of ${counted(shrunk.trials, 'trial')}`;
  const which =
    shrunk?.rounds == null
      ? `no${trials || ' trial'} has failed again; this is the whole script:`
      : `the shortest script${trials} that failed again${shrunk.isMinimal ? '; without any of its faults it did not' : ''}:`;
  report(
    { options, terminal },
    json,
    [`${drawn}: ${FAILURES[failure]}`, which, ...lines].join('\n'),
  );
}
