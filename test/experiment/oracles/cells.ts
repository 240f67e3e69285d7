/**
 * @module
 * Draws small documents of a cell: a property, a strategy, a salt, a kind of budget, and one adversary or several. Each
 * comes with the probability that an oracle gives it.
 */

import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { choosePlan } from '../../../src/experiment/response/epoch-plans.ts';
import { epochPlanOf } from '../../../src/experiment/runs/epochs-run.ts';
import { settled } from '../../../src/experiment/runs/run.ts';
import { firstOf } from '../models.ts';
import { filteredOracle } from './filtered.ts';
import type { BudgetKind, Draw } from './instances.ts';
import { documentOf, sidesOf, WHO } from './instances.ts';
import type { CountedProperty } from './orders.ts';
import { oracleOf } from './orders.ts';
import type { Played, PlayedProperty } from './played.ts';
import { playedOracle } from './played.ts';

export type Salt = Played['salt'] | 'no epochs';

export interface Cell {
  readonly property: string;
  readonly strategy: string;
  readonly salt: Salt;
  readonly budget: BudgetKind;
  readonly isAlone: boolean;
}

export interface Drawn {
  readonly model: ThreatModel;
  /** Null if there is no oracle, because elections are watched. */
  readonly exact: (() => number) | null;
}

/** The first item as often as any other. */
function one<T>(draw: Draw, ...items: readonly T[]): T {
  return firstOf(items.slice(draw(items.length)));
}

/** Draws a document of the cell. Throws LabError if the product refuses it. */
export function drawnFrom(draw: Draw, cell: Cell): Drawn {
  return cell.salt === 'no epochs' ? drawnOnce(draw, cell) : drawnEpochs(draw, cell, cell.salt);
}

/** Group operations of a key. Others take one. One takes as long as two hashes. */
const GROUP_OPERATIONS: Readonly<Record<string, number>> = { fresh: 65, siblings: 1 / 2 };

/** A policy whose puzzle costs `c1` bits of work, and the hashes of a key and of the test of its puzzle. */
interface Rules {
  readonly identity: object;
  readonly c1: number;
  readonly id: number;
  readonly puzzle: number;
}

/** Stated bits are not those that cost work: Storj counts eight constant ones, and a check may be switched off. */
function rulesOf(form: 'plain' | 'storj' | 'unchecked', c1: number): Rules {
  switch (form) {
    case 'plain':
      return { identity: { c1 }, c1, id: 1, puzzle: c1 > 0 ? 1 : 0 };
    case 'storj':
      return { identity: { idRule: 'storj', c1: 8 + c1 }, c1, id: 2, puzzle: 0 };
    case 'unchecked':
      return { identity: { checks: { static: false }, c1: 8 }, c1: 0, id: 1, puzzle: 0 };
    default:
      return form satisfies never;
  }
}

/** A budget that pays for this number of new keys with their tests, and what keys and tests take of it. */
function funded(
  { budget, strategy }: Cell,
  attempts: number,
  { id, puzzle }: Pick<Rules, 'id' | 'puzzle'>,
  extra: number,
) {
  const curve = budget === 'seconds' ? 2 * (GROUP_OPERATIONS[strategy] ?? 1) : 0;
  const key = budget === 'attempts' ? 1 : id + curve;
  const units = attempts * (key + puzzle);
  const costs = { key, kept: puzzle, fresh: puzzle };
  switch (budget) {
    case 'attempts':
      return {
        stated: { budget: { attempts } },
        units: attempts,
        costs: { key, kept: 1, fresh: 0 },
      };
    case 'hashes':
      return { stated: { budget: { hashes: units + extra } }, units: units + extra, costs };
    case 'seconds':
      return { stated: { budget: { cpuSeconds: attempts / 4 }, rate: 4 }, units, costs };
    default:
      return budget satisfies never;
  }
}

const COUNTED: readonly string[] = ['top-captured', 'successors-captured'];
const AIMED: readonly string[] = [
  ...['adversary-leads', 'adversary-leads-once', 'leads-more-than-share', 'top-captured'],
];

/** Most identities of a game. Where their order decides, each one more takes several times as long. */
const SIZE_MAX = { ordered: 6, counted: 10 };

function drawnEpochs(draw: Draw, cell: Cell, salt: Played['salt']): Drawn {
  const { property, strategy, isAlone } = cell;
  const isPriced = property === 'honest-priced-out';
  const isSalted = salt === 'puzzle' || salt === 'both';
  const isByNodeId = salt === 'none' || salt === 'puzzle';
  const [bits, honest, epochs] = [one(draw, 0, 1, 1, 2), one(draw, 1, 2, 2), one(draw, 1, 2, 2, 3)];
  // No salt changes the puzzle of Storj.
  const other = isSalted ? 'unchecked' : one(draw, 'storj', 'unchecked');
  const form = one(draw, 'plain', 'plain', other);
  const { identity, c1, ...prices } = rulesOf(form, bits);
  const [lifetime, stock] = [one(draw, null, 1, 1, 2, 3), one(draw, 0, 0, 1, 2)];
  const honestAttempts = isPriced ? one(draw, null, 1, 2) : one(draw, null, null, null, 2);
  const retargeting =
    isPriced && isSalted && form === 'plain' && epochs > 1 && draw(2) === 0
      ? { joins: 1 + draw(2), stepBits: 1 + draw(2) }
      : null;
  const puzzle = retargeting === null ? prices.puzzle : 1;
  const { stated, units, costs } = funded(cell, one(draw, 1, 1, 2), { ...prices, puzzle }, draw(2));
  const generations = isSalted ? Math.ceil(epochs / (lifetime ?? epochs)) : 1;
  const size = stock + epochs * Math.floor(units / costs.key) + honest * generations;
  const isOrdered = isByNodeId && AIMED.includes(property);
  if (size > (isOrdered ? SIZE_MAX.ordered : SIZE_MAX.counted))
    return drawnEpochs(draw, cell, salt);
  const count = COUNTED.includes(property) ? 1 + draw(2) : 1;
  // A document is refused for a member that has no effect.
  const isAboutShare = isPriced || property.startsWith('majority');
  const reveals = isByNodeId || isAboutShare ? 0 : one(draw, 0, 0, 1, 2);
  const isLeft = epochs > 1 && (isSalted || (salt === 'none' && honestAttempts !== null));
  const isSaved = draw(3) === 0 && isLeft;
  const asked = one(draw, null, null, 'fresh', 'retest', 'informed');
  const plan = asked === 'fresh' && stock > 0 && isSalted ? 'retest' : asked;
  const kept = stock === 0 ? {} : { stockpile: stock };
  const adversary = { ...stated, ...kept, strategy, reveals, plan: plan ?? undefined };
  const model = documentOf({
    network: { honest, identity },
    epochs: {
      ...{ count: epochs, salt, unspent: isSaved ? 'saved' : 'lost' },
      ...{ lifetime: lifetime ?? undefined, honestAttempts: honestAttempts ?? undefined },
      ...(retargeting === null ? {} : { retargeting }),
    },
    adversaries: isAlone ? [adversary] : [adversary, adversary],
    expect: { property, count },
  });
  const chosen = choosePlan(model, firstOf(Object.values(model.adversaries))).plan;
  // The victim is one of the honest nodes that have a claim. Their number is not known before.
  const isOpen = property === 'successors-captured' && isByNodeId && honestAttempts !== null;
  if (isOpen && chosen === 'informed') return drawnEpochs(draw, cell, salt);
  const game = {
    ...{
      property: property as PlayedProperty,
      count,
      honest,
      honestAttempts,
      c1,
      epochs,
      lifetime,
    },
    ...{ salt, plan: chosen, stock, budget: units, costs, isSaved, beacons: 2 ** reveals },
    division: epochPlanOf(model, null).conduct.division ?? null,
    retargeting,
  };
  return { model, exact: () => playedOracle(game) };
}

/** Each response, and the most identities that an adversary registers. */
const ANY: readonly (readonly [string, string, number])[] = [
  ['any', 'after', 1],
  ['count:2', 'after', 2],
  ['all', 'after', Number.POSITIVE_INFINITY],
];
const TOP: typeof ANY = [
  ['top', 'after', Number.POSITIVE_INFINITY],
  ['top', 'before', Number.POSITIVE_INFINITY],
];

/** Adversaries that go on when they have enough, or stop then. */
const AIMS: typeof ANY = [
  [':all', 'after', Number.POSITIVE_INFINITY],
  ['', 'after', Number.POSITIVE_INFINITY],
];

/** Properties that are about identities and ranks alone. */
const RANKED: readonly string[] = [
  'adversary-leads',
  'top-captured',
  'successors-captured',
  'majority-captured',
  'majority-denied',
] satisfies readonly CountedProperty[];

function drawnOnce(draw: Draw, cell: Cell): Drawn {
  const { property, strategy, isAlone } = cell;
  const isLeading = property === 'adversary-leads';
  const isShared = property === 'leads-more-than-share';
  const isRanked = RANKED.includes(property);
  const [bits, honest, count] = [
    draw(3),
    1 + draw(3),
    COUNTED.includes(property) ? 1 + draw(3) : 1,
  ];
  const law = one(draw, 'plain', 'plain', 'storj', 'unchecked');
  const { identity, c1, ...prices } = rulesOf(law, bits);
  const by = isAlone ? one(draw, 'together', 'any') : one(draw, ...WHO);
  const isPlaced = COUNTED.includes(property);
  const [form, registers, most] = one(draw, ...ANY, ...(isLeading ? TOP : isPlaced ? AIMS : []));
  const isAimed = isPlaced && AIMS.some(([each]) => each === form);
  // To stop is enough if all adversaries are judged as one.
  const wanted = form === '' && (isAlone || by === 'together') ? `:${count}` : ':all';
  const goal = isAimed ? `${property.replace('-captured', '')}${wanted}` : form;
  const adversaries = Array.from({ length: isAlone ? 1 : 2 + draw(2) }, () => {
    const ordinary = isLeading || isAimed || !isRanked ? 0 : Math.max(0, draw(4) - 2);
    const funds = funded(cell, draw(isAlone ? 5 : 3), prices, draw(2));
    const attempts = Math.floor(funds.units / (funds.costs.key + funds.costs.fresh));
    return { ...funds, attempts, ordinary, most: isShared ? Number.POSITIVE_INFINITY : most };
  });
  const model = documentOf({
    network: { honest, identity, election: { protocols: [isRanked ? 'cr-join' : 'raft'] } },
    adversaries: adversaries.map(({ stated, ordinary }) => ({
      ...{ ...stated, identities: ordinary, behaviours: [], strategy },
      ...(isShared ? { goal: 'all', registers: 'before' } : { goal, registers }),
    })),
    expect: { property, count, ...(isShared || isRanked ? { by } : {}) },
  });
  const asked = isShared ? 'adversary-leads' : property;
  const instance = {
    ...{ honest, c1, count, adversaries, sides: sidesOf(by, adversaries.length) },
    property: asked as CountedProperty,
  };
  const isFiltered =
    !isShared && (goal === 'top' || isAimed) && cell.budget !== 'attempts' && prices.puzzle > 0;
  const limiting = honest - (property === 'successors-captured' ? 1 : 0);
  const budgets = adversaries.map(({ units }) => units);
  const perKey = firstOf(adversaries).costs.key;
  const exact = () =>
    isFiltered
      ? filteredOracle({ ...instance, honest: limiting, budgets, perKey })
      : oracleOf(instance);
  return { model: settled(model, null).model, exact: isRanked || isShared ? exact : null };
}
