/**
 * @module
 * Every protocol against every kind of attack at every level, each cell by runs. What is forged is placed
 * without being mined: what it costs is another matter. An attack of which there are several forms counts
 * where one of them reaches one of its aims in most of a few runs, since some outcomes hang on the order of
 * a ring or on the luck of a draw.
 */

import type { Aim } from '../../adversary/behaviours/behaviour.ts';
import type { BehaviourName } from '../../adversary/behaviours/registry.ts';
import { BEHAVIOURS } from '../../adversary/behaviours/registry.ts';
import type { Level } from '../../election/authenticated.ts';
import { LEVELS } from '../../election/authenticated.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../election/registry.ts';
import type { Seed } from '../../random.ts';
import { deriveSeed } from '../../random.ts';
import type { Sighting } from '../properties/sighting.ts';
import { findingsOf, isReached, showsAim } from '../staging/judgement.ts';
import type { PlacedAttack } from '../staging/stage.ts';
import { honestStage, stageAttack } from '../staging/stage.ts';
import { watchAttack } from '../staging/watch.ts';

/** One form of an attack. */
interface Form {
  readonly behaviours: readonly BehaviourName[];
  /** Where the adversary is: an ordinary identity, or forged ones. */
  readonly place: 'lowest' | 'top' | 'successor' | 'majority';
  readonly places?: number;
  readonly detector?: string;
  /** Which protocols it means something to, beyond those that its behaviours fit. */
  readonly fits?: (protocol: ProtocolName) => boolean;
}

interface Column {
  /** Reaching any one of them is to break the protocol. */
  readonly aims: readonly Aim[];
  readonly forms: readonly Form[];
}

const ANY: readonly Aim[] = ['lead', 'stop', 'split'];
const UNLED: readonly Aim[] = ['stop', 'split'];
const isQuorum = (protocol: ProtocolName) => PROTOCOLS[protocol].family === 'quorum';
const isRing = (protocol: ProtocolName) => PROTOCOLS[protocol].family === 'ring';
const ranksNodes = (protocol: ProtocolName) => PROTOCOLS[protocol].elects === 'highest';

/** A plain ring is not closed around who dies, so that nobody's death goes unnoticed by a lie. */
const FORGED_BEATS: Form = {
  ...{ behaviours: ['heartbeat-forger'], place: 'lowest' },
  fits: (protocol) => !isRing(protocol) || PROTOCOLS[protocol].successors > 1,
};

/** The attacks of the catalogue that are on a protocol. */
export const MATRIX_ATTACKS = {
  A1: { aims: ANY, forms: [{ behaviours: ['spoof-coordinator'], place: 'lowest' }] },
  A2a: { aims: ANY, forms: [{ behaviours: ['phantom-id'], place: 'lowest' }] },
  A2b: { aims: ['lead'], forms: [{ behaviours: ['late-joiner'], place: 'top' }] },
  A3: { aims: UNLED, forms: [{ behaviours: ['swallow'], place: 'lowest' }] },
  // Where anybody may win, an election that is disturbed elects the liar as often as anybody else.
  A4: { aims: UNLED, forms: [{ behaviours: ['replay'], place: 'lowest' }] },
  A5: {
    aims: UNLED,
    forms: [
      { behaviours: ['equivocate'], place: 'lowest' },
      { behaviours: ['double-vote'], place: 'lowest', places: 3 },
    ],
  },
  A6: { aims: UNLED, forms: [{ behaviours: ['flap'], place: 'top' }] },
  A7: { aims: ['stop'], forms: [{ behaviours: ['answer-and-stall'], place: 'top' }] },
  'A8/9': { aims: ['lead'], forms: [{ behaviours: [], place: 'top', fits: ranksNodes }] },
  A10: {
    aims: ['stop'],
    forms: [{ behaviours: ['swallow'], place: 'successor', fits: isRing }],
  },
  A11: { aims: ANY, forms: [{ behaviours: ['tamper-token'], place: 'lowest' }] },
  A12: { aims: ANY, forms: [{ behaviours: ['double-vote'], place: 'majority', fits: isQuorum }] },
  A13: {
    aims: UNLED,
    forms: [
      { ...FORGED_BEATS, detector: 'fd-gossip' },
      { ...FORGED_BEATS, detector: 'fd-heartbeat' },
      { behaviours: ['slow-drip'], place: 'top' },
    ],
  },
  A14: { aims: ['stop'], forms: [{ behaviours: ['term-inflation'], place: 'lowest' }] },
} as const satisfies Readonly<Record<string, Column>>;

export type MatrixAttack = keyof typeof MATRIX_ATTACKS;

/** The keys of an object are strings to the compiler: hence the `as`. */
export const MATRIX_ATTACK_NAMES = Object.keys(MATRIX_ATTACKS) as readonly MatrixAttack[];

/**
 * A letter for each level, L0 first: what was reached there (L became leader, N prevented any, S split the
 * leadership), `-`, or `?` where nothing can be told, since the election fails without a cheat as well;
 * empty where the attack means nothing to the protocol.
 */
export type MatrixCell = string;

const LETTERS: Readonly<Record<Aim, string>> = {
  lead: 'L',
  stop: 'N',
  split: 'S',
  'outlive-lease': 'O',
};

/** What an attack is to a protocol: works at L3 still, breaks it below, or neither. */
export function markOf(cell: MatrixCell): '○' | '●' | '' {
  if (/[A-Z]$/.test(cell)) return '○';
  return /[A-Z]/.test(cell) ? '●' : '';
}

export interface MatrixRow {
  readonly protocol: ProtocolName;
  readonly cells: Readonly<Record<MatrixAttack, MatrixCell>>;
}

/** Row by row; `goOn` is asked before each cell, and a row that it ends is not given. */
export async function* attackMatrix(
  seed: Seed,
  goOn: (protocol: ProtocolName, attack: MatrixAttack) => Promise<boolean>,
): AsyncGenerator<MatrixRow, void, undefined> {
  for (const protocol of PROTOCOL_NAMES) {
    const cells: [MatrixAttack, MatrixCell][] = [];
    for (const attack of MATRIX_ATTACK_NAMES) {
      if (!(await goOn(protocol, attack))) return;
      cells.push([attack, matrixCell(protocol, attack, seed)]);
    }
    // The names are those of all attacks, which fromEntries forgets.
    yield { protocol, cells: Object.fromEntries(cells) as MatrixRow['cells'] };
  }
}

/** One cell, by its runs. */
export function matrixCell(protocol: ProtocolName, attack: MatrixAttack, seed: Seed): MatrixCell {
  const { aims, forms }: Column = MATRIX_ATTACKS[attack];
  const played = forms.filter((form) => fitsForm(protocol, form));
  if (played.length === 0) return '';
  const trials = played.map((form) => createTrial({ protocol, seed }, form, aims));
  const letters = LEVELS.map((level) => {
    const found = trials.map((trial) => trial(level));
    return (
      found.find((letter) => /[A-Z]/.test(letter)) ?? found.find((each) => each === '-') ?? '?'
    );
  });
  return letters.join('');
}

/** Runs that decide a level, of which most must agree. */
const RUNS = 3;
const MOST = Math.ceil(RUNS / 2);
/** So many seeds are looked at for them: one whose honest run shows the same tells nothing. */
const SEEDS_MAX = 8;

/** What comes of one form at a level: a letter, `-`, or `?` where too few seeds tell anything. */
function createTrial(
  { protocol, seed }: { readonly protocol: ProtocolName; readonly seed: Seed },
  form: Form,
  aims: readonly Aim[],
): (level: Level) => string {
  const stageAt = (level: Level, index: number) =>
    stageAttack(placedForm({ protocol, level, seed: seedAfter(seed, index) }, form), form.detector);
  // Without a cheat every level gives the same.
  const honest: Sighting[] = [];
  const honestOf = (index: number) => {
    const isForged = form.place !== 'lowest';
    honest[index] ??= watchAttack(honestStage(stageAt('L0', index), { isForged }));
    return honest[index];
  };
  return (level) => {
    const reached: Aim[] = [];
    let missed = 0;
    for (let index = 0; index < SEEDS_MAX; index += 1) {
      const otherwise = honestOf(index);
      const findings = findingsOf(watchAttack(stageAt(level, index)), otherwise);
      const aim = aims.find((each) => isReached(each, findings));
      if (aim !== undefined) reached.push(aim);
      else if (otherwise.brokenOffAt === null && !aims.some((each) => showsAim(each, otherwise)))
        missed += 1;
      if (missed >= MOST) return '-';
      if (reached.length >= MOST) return LETTERS[mostFrequent(reached)];
    }
    return '?';
  };
}

/** The first of those that are there most often. */
function mostFrequent(aims: readonly Aim[]): Aim {
  const countOf = (aim: Aim) => aims.filter((each) => each === aim).length;
  const [first = 'lead', ...others] = aims;
  return others.reduce((best, aim) => (countOf(aim) > countOf(best) ? aim : best), first);
}

/** The seed so many after it. */
function seedAfter(seed: Seed, index: number): Seed {
  return index === 0 ? seed : deriveSeed(seed, 'matrix', index);
}

function fitsForm(protocol: ProtocolName, { behaviours, fits }: Form): boolean {
  const isFit = behaviours.every((name) => BEHAVIOURS[name].unsupportedReason(protocol) === null);
  return isFit && fits?.(protocol) !== false;
}

const PLACES = 5;

function placedForm(
  run: { readonly protocol: ProtocolName; readonly level: Level; readonly seed: Seed },
  { behaviours, place, places = PLACES }: Form,
): PlacedAttack {
  const common = { ...run, behaviours, defences: [], isRingById: place === 'successor' };
  switch (place) {
    case 'lowest':
      return { ...common, places, adversary: [1] };
    case 'top':
      return { ...common, places, adversary: [places] };
    case 'successor':
      return { ...common, places, adversary: [3] };
    case 'majority': {
      // Every other one, from the lowest to the highest.
      const all = Array.from({ length: 2 * places - 1 }, (_, index) => index + 1);
      return { ...common, places: all.length, adversary: all.filter((rank) => rank % 2 === 1) };
    }
    default:
      return place satisfies never;
  }
}
