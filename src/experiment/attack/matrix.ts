/**
 * @module
 * Every protocol against every kind of attack at every level, each cell decided by runs. Forged identities
 * get their ranks without being mined. An attack with several forms counts if one of them reaches one of its
 * aims in most of a few runs, because some outcomes depend on the order of a ring or on a draw.
 */

import type { Aim } from '../../adversary/behaviours/behaviour.ts';
import type { BehaviourName } from '../../adversary/behaviours/registry.ts';
import { BEHAVIOURS } from '../../adversary/behaviours/registry.ts';
import type { Level } from '../../election/authentication/authenticated.ts';
import { LEVELS } from '../../election/authentication/authenticated.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../election/registry.ts';
import type { Seed } from '../../random.ts';
import { createRandom, deriveSeed } from '../../random.ts';
import type { SimulationOptions } from '../../simulation/plan/plan.ts';
import type { AttackDefence } from '../document/defence-names.ts';
import type { Sighting } from '../properties/sighting.ts';
import { ofNodes } from '../staging/defences.ts';
import { AIM_FACTS, findingsOf, isReached, showsAim } from '../staging/judgement.ts';
import type { RankedAttack, Stage } from '../staging/stage.ts';
import { honestStage, stageAttack } from '../staging/stage.ts';
import { watchAttack } from '../staging/watch.ts';
import { withSet } from './sets.ts';

/** One form of an attack. */
interface Form {
  readonly behaviours: readonly BehaviourName[];
  /** The rank of the adversary: an ordinary identity, or forged ones. */
  readonly rank: 'lowest' | 'top' | 'successor' | 'majority';
  readonly nodes?: number;
  readonly detector?: string;
  /** The protocols that it applies to, among those that its behaviours fit. */
  readonly fits?: (protocol: ProtocolName) => boolean;
}

interface Column {
  /** Each of these aims breaks the protocol. */
  readonly aims: readonly Aim[];
  readonly forms: readonly Form[];
}

const ANY: readonly Aim[] = ['lead', 'stop', 'split'];
const UNLED: readonly Aim[] = ['stop', 'split'];
const isQuorum = (protocol: ProtocolName) => PROTOCOLS[protocol].family === 'quorum';
const isRing = (protocol: ProtocolName) => PROTOCOLS[protocol].family === 'ring';
const electsHighest = (protocol: ProtocolName) => PROTOCOLS[protocol].elects === 'highest';

/** A plain ring and a graph do not close around a dead node, so false heartbeats hide no crash there. */
const FORGED_BEATS: Form = {
  behaviours: ['heartbeat-forger'],
  rank: 'lowest',
  fits: (protocol) =>
    !PROTOCOLS[protocol].overLinks && (!isRing(protocol) || PROTOCOLS[protocol].successors > 1),
};

/** The attacks of the catalogue that are attacks on a protocol. */
const MATRIX_ATTACKS = {
  A1: { aims: ANY, forms: [{ behaviours: ['spoof-coordinator'], rank: 'lowest' }] },
  A2a: { aims: ANY, forms: [{ behaviours: ['phantom-id'], rank: 'lowest' }] },
  A2b: { aims: ['lead'], forms: [{ behaviours: ['late-joiner'], rank: 'top' }] },
  A3: { aims: UNLED, forms: [{ behaviours: ['swallow'], rank: 'lowest' }] },
  // If any node may win, a disturbed election elects the Byzantine node as often as any other.
  A4: { aims: UNLED, forms: [{ behaviours: ['replay'], rank: 'lowest' }] },
  A5: {
    aims: UNLED,
    forms: [
      { behaviours: ['equivocate'], rank: 'lowest' },
      { behaviours: ['double-vote'], rank: 'lowest' },
    ],
  },
  A6: { aims: UNLED, forms: [{ behaviours: ['flap'], rank: 'top' }] },
  A7: { aims: ['stop'], forms: [{ behaviours: ['answer-and-stall'], rank: 'top' }] },
  'A8/9': { aims: ['lead'], forms: [{ behaviours: [], rank: 'top', fits: electsHighest }] },
  A10: { aims: ['stop'], forms: [{ behaviours: ['swallow'], rank: 'successor', fits: isRing }] },
  A11: { aims: ANY, forms: [{ behaviours: ['tamper-token'], rank: 'lowest' }] },
  A12: { aims: ANY, forms: [{ behaviours: ['double-vote'], rank: 'majority', fits: isQuorum }] },
  A13: {
    aims: UNLED,
    forms: [
      { ...FORGED_BEATS, detector: 'fd-gossip' },
      { ...FORGED_BEATS, detector: 'fd-heartbeat' },
      { behaviours: ['slow-drip'], rank: 'top' },
    ],
  },
  A14: { aims: ['stop'], forms: [{ behaviours: ['term-inflation'], rank: 'lowest' }] },
} as const satisfies Readonly<Record<string, Column>>;

export type MatrixAttack = keyof typeof MATRIX_ATTACKS;

/** The keys of an object are strings to the compiler: hence the `as`. */
export const MATRIX_ATTACK_NAMES = Object.keys(MATRIX_ATTACKS) as readonly MatrixAttack[];

/**
 * A letter for each level, L0 first: the aim that was reached there (L, N or S), `-` for none, or `?` if
 * the election fails without an attack too. Empty if the attack does not apply to the protocol.
 */
export type MatrixCell = string;

/** The mark of an attack on a protocol: it works at L3, only at a lower level, or never. */
export function markOf(cell: MatrixCell): '○' | '●' | '' {
  if (/[A-Z]$/.test(cell)) return '○';
  return /[A-Z]/.test(cell) ? '●' : '';
}

export interface MatrixRow {
  readonly protocol: ProtocolName;
  readonly cells: Readonly<Record<MatrixAttack, MatrixCell>>;
}

/** A run that shows the letter of a cell at its level. */
export interface CellRun extends ShownRun {
  readonly level: Level;
  /** The letter. */
  readonly shows: string;
  /** Number of the form of the attack, from 0, among those that fit the protocol. */
  readonly form: number;
}

/** A row with the runs of its cells. */
export interface PlayedRow extends MatrixRow {
  readonly runs: Readonly<Record<MatrixAttack, readonly CellRun[]>>;
}

/**
 * The rows of these protocols, one by one. `goOn` is called before each cell; a row during which it returns false is
 * left out.
 */
export async function* attackMatrix(
  seed: Seed,
  goOn: (protocol: ProtocolName, attack: MatrixAttack) => Promise<boolean>,
  protocols: readonly ProtocolName[] = PROTOCOL_NAMES,
): AsyncGenerator<PlayedRow, void, undefined> {
  for (const protocol of protocols) {
    const played: [MatrixAttack, readonly CellRun[]][] = [];
    for (const attack of MATRIX_ATTACK_NAMES) {
      if (!(await goOn(protocol, attack))) return;
      played.push([attack, cellRuns(protocol, attack, seed)]);
    }
    const cells = played.map(([attack, own]) => [attack, cellOf(own)]);
    // The names are those of all attacks, which fromEntries forgets.
    const runs = Object.fromEntries(played) as PlayedRow['runs'];
    // Likewise.
    yield { protocol, cells: Object.fromEntries(cells) as MatrixRow['cells'], runs };
  }
}

/** One cell, by its runs. */
export function matrixCell(protocol: ProtocolName, attack: MatrixAttack, seed: Seed): MatrixCell {
  return cellOf(cellRuns(protocol, attack, seed));
}

function cellOf(runs: readonly CellRun[]): MatrixCell {
  return runs.map(({ shows }) => shows).join('');
}

/** For each level the run that shows its letter. Empty if the attack does not apply to the protocol. */
function cellRuns(protocol: ProtocolName, attack: MatrixAttack, seed: Seed): readonly CellRun[] {
  const trials = cellTrials(protocol, attack, seed);
  if (trials.length === 0) return [];
  return LEVELS.flatMap((level) => {
    const found = trials.map((trial, form) => ({ form, ...trial(level, []) }));
    const [shown = found[0]] = [
      ...found.filter(({ letter }) => /[A-Z]/.test(letter)),
      ...found.filter(({ letter }) => letter === '-'),
    ];
    if (shown === undefined) return [];
    return [{ level, shows: shown.letter, form: shown.form, ...shown.run }];
  });
}

/** The election of the run of a cell. */
export function cellRunOptions(
  { protocol, attack }: { readonly protocol: ProtocolName; readonly attack: MatrixAttack },
  { level, form, seed }: Pick<CellRun, 'level' | 'form' | 'seed'>,
): SimulationOptions {
  const found = fittingForms(protocol, attack)[form];
  if (found === undefined) throw new TypeError(`"form" expected one of ${attack}, got ${form}`);
  return formStage({ protocol, level, seed }, found, []).options;
}

/** A run as it was watched. */
export interface ShownRun {
  readonly seed: Seed;
  /** The last tick that was watched. */
  readonly ticks: number;
  /** The leader that all honest live nodes followed then, and the messages so far. */
  readonly leader: number | null;
  readonly messages: number;
}

/** The result of one form of an attack at a level against a set of defences. */
interface FormResult {
  /** The aim that was reached in most runs, `-`, or `?` if too few seeds decide. */
  readonly letter: string;
  /** The first run that shows it. */
  readonly run: ShownRun;
}

export type FormTrial = (level: Level, set: readonly AttackDefence[]) => FormResult;

/** The forms of an attack that fit the protocol. */
export function cellTrials(
  protocol: ProtocolName,
  attack: MatrixAttack,
  seed: Seed,
): readonly FormTrial[] {
  const { aims }: Column = MATRIX_ATTACKS[attack];
  return fittingForms(protocol, attack).map((form) => createTrial({ protocol, seed }, form, aims));
}

/** Whether an attack uses forged identities in one of its forms, and its behaviours. */
export function cellFacts(protocol: ProtocolName, attack: MatrixAttack) {
  const fitting = fittingForms(protocol, attack);
  return {
    isForging: fitting.some(isForgingForm),
    behaviours: [...new Set(fitting.flatMap(({ behaviours }) => behaviours))],
  };
}

function fittingForms(protocol: ProtocolName, attack: MatrixAttack): readonly Form[] {
  const { forms }: Column = MATRIX_ATTACKS[attack];
  return forms.filter((form) => fitsForm(protocol, form)).map((form) => formIn(protocol, form));
}

function isForgingForm({ rank }: Form): boolean {
  return rank !== 'lowest';
}

/** Runs that decide a level. Most of them must agree. */
const RUNS = 3;
const MOST = Math.ceil(RUNS / 2);
/** Limit of the seeds for these runs: a seed whose honest run shows the same decides nothing. */
const SEEDS_MAX = 8;

function createTrial(
  { protocol, seed }: { readonly protocol: ProtocolName; readonly seed: Seed },
  form: Form,
  aims: readonly Aim[],
): FormTrial {
  const isForging = isForgingForm(form);
  const stageAt = (level: Level, set: readonly AttackDefence[], index: number) => {
    const runSeed = index === 0 ? seed : deriveSeed(seed, 'matrix', index);
    return formStage({ protocol, level, seed: runSeed }, form, set);
  };
  // Without an attack and without defences every level gives the same.
  const honest: Sighting[] = [];
  const honestOf = (index: number) => {
    honest[index] ??= watchAttack(honestStage(stageAt('L0', [], index), { isForged: isForging }));
    return honest[index];
  };
  return (level, set) => {
    const reached: Aim[] = [];
    const runs = new Map<string, ShownRun>();
    const result = (letter: string): FormResult => {
      const run = runs.get(letter);
      if (run === undefined) throw new TypeError(`"runs" expected one that shows ${letter}`);
      return { letter, run };
    };
    let missed = 0;
    for (let index = 0; index < SEEDS_MAX; index += 1) {
      const stage = stageAt(level, set, index);
      const otherwise =
        set.length === 0
          ? honestOf(index)
          : watchAttack(honestStage(stage, { isForged: isForging && !set.some(isRegistration) }));
      const seen = watchAttack(stage);
      const findings = findingsOf(seen, otherwise);
      const aim = aims.find((each) => isReached(each, findings));
      const isMissed =
        otherwise.brokenOffAt === null && !aims.some((each) => showsAim(each, otherwise));
      const letter = aim === undefined ? (isMissed ? '-' : '?') : AIM_FACTS[aim].letter;
      if (!runs.has(letter)) runs.set(letter, shownRun(stage, seen));
      if (aim !== undefined) reached.push(aim);
      else if (isMissed) missed += 1;
      if (missed >= MOST) return result('-');
      if (reached.length >= MOST) return result(AIM_FACTS[mostFrequent(reached)].letter);
    }
    return result('?');
  };
}

function shownRun({ options }: Stage, { ticks, leader, messages }: Sighting): ShownRun {
  return { seed: options.seed, ticks, leader, messages };
}

interface FormRun {
  readonly protocol: ProtocolName;
  readonly level: Level;
  readonly seed: Seed;
}

/** The stage of a run of this form against a set of defences. */
function formStage(run: FormRun, form: Form, set: readonly AttackDefence[]): Stage {
  const { level, defences } = withSet({ level: run.level, defences: [] }, set);
  const ranked = rankedForm({ ...run, level }, { ...form, rank: rankAgainst(form.rank, set) });
  const ranks = beaconRank(ranked, set);
  // Where nodes cannot freeze their membership, the registration can.
  const own = ofNodes(defences, true, run.protocol);
  return stageAttack({ ...ranked, ...ranks, defences: own }, form.detector);
}

/** Defences that keep forged identities out, so that the adversary keeps its ordinary one. */
function isRegistration(name: AttackDefence): boolean {
  return name === 'frozen-membership' || name === 'proof-of-work';
}

function rankAgainst(rank: Form['rank'], set: readonly AttackDefence[]): Form['rank'] {
  return set.some(isRegistration) ? 'lowest' : rank;
}

/** A beacon gives the adversary other ranks, which the seed draws. */
function beaconRank(
  { nodes, adversary, seed }: RankedAttack,
  set: readonly AttackDefence[],
): Pick<RankedAttack, 'adversary'> {
  if (!set.includes('beacon-rank')) return { adversary };
  const random = createRandom(seed, 'matrix-beacon');
  const ranks = Array.from({ length: nodes }, (_, index) => index + 1);
  const drawn = adversary.flatMap(() => ranks.splice(random.below(ranks.length), 1));
  return { adversary: drawn.toSorted((one, other) => one - other) };
}

/** The first of the most frequent ones. */
function mostFrequent(aims: readonly Aim[]): Aim {
  const countOf = (aim: Aim) => aims.filter((each) => each === aim).length;
  const [first = 'lead', ...others] = aims;
  return others.reduce((best, aim) => (countOf(aim) > countOf(best) ? aim : best), first);
}

function fitsForm(protocol: ProtocolName, { behaviours, fits }: Form): boolean {
  const isFit = behaviours.every((name) => BEHAVIOURS[name].unsupportedReason(protocol) === null);
  return isFit && fits?.(protocol) !== false;
}

/** No top ID is forged where ranks have no meaning. */
function formIn(protocol: ProtocolName, form: Form): Form {
  const isMeaningless = form.rank === 'top' && !PROTOCOLS[protocol].isRanked;
  return isMeaningless ? { ...form, rank: 'lowest' } : form;
}

const NODES = 5;

function rankedForm(run: FormRun, { behaviours: names, rank, nodes = NODES }: Form): RankedAttack {
  const behaviours = names.map((name) => BEHAVIOURS[name]);
  const attack = { ...run, behaviours, defences: [], isRingById: rank === 'successor' };
  switch (rank) {
    case 'lowest':
      return { ...attack, nodes, adversary: [1] };
    case 'top':
      return { ...attack, nodes, adversary: [nodes] };
    case 'successor':
      return { ...attack, nodes, adversary: [3] };
    case 'majority': {
      // Every second rank, the lowest and the highest included.
      const all = Array.from({ length: 2 * nodes - 1 }, (_, index) => index + 1);
      return { ...attack, nodes: all.length, adversary: all.filter((each) => each % 2 === 1) };
    }
    default:
      return rank satisfies never;
  }
}
