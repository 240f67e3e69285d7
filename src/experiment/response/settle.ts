/**
 * @module
 * Completes the responses of a model's adversaries, for each protocol on its own: by an argument if one
 * decides, else by the search of pilot runs. The pilots draw from streams of their own, which depend on the
 * model alone. So the choice does not depend on the seed of the runs or on the number of threads, and no run
 * that is reported has chosen its own response.
 */

import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { shortIdsOf } from '../../mining/odds.ts';
import type { Seed } from '../../random.ts';
import { deriveSeed, parseSeed } from '../../random.ts';
import { canonicalJson } from '../document/canonical-json.ts';
import { WATCHED_NODES_MAX } from '../document/limits.ts';
import type { FixedParts, RegistrationTime, Response } from '../document/response-schema.ts';
import {
  ALL_IDENTITIES,
  NAIVE_RESPONSE,
  responseOf,
  statedParts,
} from '../document/response-schema.ts';
import type { Adversary, RunKind, ThreatModel } from '../document/threat-model.ts';
import {
  ANY_ONE,
  adversariesOf,
  isBoundInWork,
  runKindOf,
  TOGETHER,
} from '../document/threat-model.ts';
import { counted } from '../document/wording.ts';
import type { ModelAim } from '../properties/property.ts';
import type { PropertyName } from '../properties/registry.ts';
import { PROPERTIES } from '../properties/registry.ts';
import type { KeyPlan } from '../theory/epoch-conduct.ts';
import { choosePlan } from './epoch-plans.ts';
import type { Found, PilotRange, Played } from './search.ts';
import { findBest, RUNS_MIN } from './search.ts';
import { EXHAUSTIVE_HONEST_MAX, rulesOf, spaceOf } from './space.ts';

/** What a choice needs of runs. */
export interface Trials {
  /** Identities that the adversary's budget pays for, on average. Null if its work cannot be drawn. */
  readonly identities: (model: ThreatModel, adversary: Adversary) => number | null;
  /** Runs of a model without open parts: those that have its property. Null if one of them is refused. */
  readonly play: (model: ThreatModel, seed: Seed, range: PilotRange) => Played | null;
}

/** How a response was chosen. */
export const ORIGINS = ['fixed', 'argued', 'exhaustive', 'best-found'] as const;
export type Origin = (typeof ORIGINS)[number];

/** The response of one adversary to some protocols. */
export interface ChosenResponse {
  readonly adversary: string;
  readonly protocols: readonly ProtocolName[];
  readonly aim: ModelAim;
  readonly response: Response;
  /** What it does with its keys. Only with epochs. */
  readonly plan?: KeyPlan;
  readonly origin: Origin;
  /** One sentence: why it is chosen. */
  readonly reason: string;
  /** Pilot runs of the chosen response. 0 if none was needed, or none was possible. */
  readonly pilotRuns: number;
  /** What the choice does not include, as noun phrases. */
  readonly notSearched: readonly string[];
}

export interface Settled {
  /** The model without open parts. */
  readonly model: ThreatModel;
  readonly responses: readonly ChosenResponse[];
}

/**
 * Nodes of the largest network in which responses are searched. One pilot run of each response of Bully takes
 * about 0.3 s of a core with 12 nodes, 2 s with 50 and 4 s with 100, so that a search would take minutes.
 */
export const PILOT_NODES_MAX = 24;
/** A response that sends more messages in a pilot run is not searched. */
export const PILOT_MESSAGES_MAX = 60_000;

/** The property that shows that an aim is reached. */
const SHOWN_BY: Readonly<Record<ModelAim, PropertyName>> = {
  lead: 'adversary-leads',
  stop: 'no-leader',
  split: 'split',
  'outlive-lease': 'late-writes',
  capture: 'majority-captured',
};

/** The aim of an adversary: as stated, else that of the expected property. */
export function aimOf({ expect }: Pick<ThreatModel, 'expect'>, { aim }: Adversary): ModelAim {
  return aim ?? PROPERTIES[expect.property].aim;
}

/** Completes all responses. A model without open parts stays as it is. */
export function settle(model: ThreatModel, trials: Trials): Settled {
  const kind = runKindOf(model);
  if (kind === 'epochs') return settleEpochs(model);
  const adversaries = adversariesOf(model);
  const choices = model.network.election.protocols.map((protocol) => {
    return { protocol, choice: choose({ model, kind, protocol }, trials) };
  });
  const responses = choices.flatMap(({ protocol, choice }) =>
    adversaries.map(([name, adversary]): ChosenResponse => {
      const { response, ...rest } = choice(name, adversary);
      return {
        adversary: name,
        protocols: [protocol],
        aim: aimOf(model, adversary),
        response,
        ...rest,
      };
    }),
  );
  return { model: withResponses(model, responses), responses: grouped(responses) };
}

/** Epochs have windows of registration, and a plan for keys instead of the parts of a response. */
function settleEpochs(model: ThreatModel): Settled {
  const response = { ...NAIVE_RESPONSE, goal: ALL_IDENTITIES };
  const chosen = adversariesOf(model).map(([name, adversary]) => {
    return { name, adversary, choice: choosePlan(model, adversary) };
  });
  const planned = chosen.map(({ name, adversary, choice }) => {
    return [name, { ...adversary, plan: choice.plan }] as const;
  });
  return {
    model: { ...model, adversaries: Object.fromEntries(planned) },
    responses: chosen.map(({ name, adversary, choice }) => ({
      adversary: name,
      protocols: model.network.election.protocols,
      response,
      pilotRuns: 0,
      aim: aimOf(model, adversary),
      ...choice,
    })),
  };
}

interface Question {
  readonly model: ThreatModel;
  readonly kind: RunKind;
  readonly protocol: ProtocolName;
}

type Choice = Pick<ChosenResponse, 'response' | 'origin' | 'reason' | 'pilotRuns' | 'notSearched'>;

const FIXED = {
  origin: 'fixed',
  reason: 'The document fixes it.',
  pilotRuns: 0,
  notSearched: [],
} as const;

/** The only adversary that the question is about. Null if it is about all of them, or about any. */
function soughtIn({ expect: { by = TOGETHER } }: ThreatModel): string | null {
  return by === TOGETHER || by === ANY_ONE ? null : by;
}

/**
 * Chooses the open parts. All adversaries of a model get the same ones. If the question is about one of them, its rivals
 * follow the protocol, because an attack of theirs would take the lead from it.
 */
function choose(question: Question, trials: Trials): (name: string, own: Adversary) => Choice {
  const { model, kind, protocol } = question;
  const sought = soughtIn(model);
  const adversaries = adversariesOf(model).flatMap(([name, adversary]) =>
    sought === null || name === sought ? [adversary] : [],
  );
  const parts = adversaries.map((adversary) => partsFor(adversary, protocol));
  const found = adversaries.map((adversary) => trials.identities(model, adversary));
  const identities = found.includes(null) ? null : totalOf(found);
  const facts = { kind, protocol, identities };
  const { template: rival } = argumentFor(model, { ...facts, fixed: {} });
  const rest = { response: rival, ...RIVAL };
  const judged = () => {
    const fixed = fixedByAll(parts, kind);
    const argument = argumentFor(model, { ...facts, fixed });
    const { template, ...how } = argument.isDecisive
      ? argued(argument)
      : searched(question, { argument, fixed, found, rival }, trials);
    return { response: template, ...how };
  };
  const isFixed = parts.every((each) => isComplete(each, kind));
  const best = isFixed ? rest : judged();
  return (name, adversary) => {
    const own = partsFor(adversary, protocol);
    if (isComplete(own, kind)) return { response: responseOf(own), ...FIXED };
    const chosen = sought === null || name === sought ? best : rest;
    return { ...chosen, response: { ...chosen.response, ...own } };
  };
}

const RIVAL = {
  origin: 'argued',
  reason: 'It follows the protocol, because the question is about another adversary.',
  pilotRuns: 0,
  notSearched: [],
} as const;

function argued({ template, reason }: Argument) {
  return { template, reason, origin: 'argued', pilotRuns: 0, notSearched: [] } as const;
}

/** Whether no part is open. No behaviour applies to identities alone. */
function isComplete(parts: FixedParts, kind: RunKind): boolean {
  const hasNoElection = kind === 'capture';
  return (
    parts.goal !== undefined &&
    parts.registers !== undefined &&
    (parts.behaviours !== undefined || hasNoElection)
  );
}

function partsFor(adversary: Adversary, protocol: ProtocolName): FixedParts {
  return statedParts({ ...adversary, ...adversary.responses?.[protocol] });
}

/** The parts that are fixed for all adversaries, as the first one has them. */
function fixedByAll(parts: readonly FixedParts[], kind: RunKind): FixedParts {
  const [{ goal, registers, behaviours } = {}] = parts;
  const hasNoElection = kind === 'capture';
  const isFixed = (part: keyof FixedParts) => parts.every((each) => each[part] !== undefined);
  return statedParts({
    goal: isFixed('goal') ? goal : undefined,
    registers: isFixed('registers') ? registers : undefined,
    behaviours: isFixed('behaviours') ? behaviours : hasNoElection ? [] : undefined,
  });
}

interface Known {
  readonly argument: Argument;
  readonly fixed: FixedParts;
  readonly found: readonly (number | null)[];
  /** The response of adversaries that the question is not about. */
  readonly rival: Response;
}

function searched(question: Question, known: Known, trials: Trials) {
  const { model, protocol } = question;
  const { argument, fixed } = known;
  const { template } = argument;
  const refusal = searchRefusal(model, known.found);
  if (refusal !== null) {
    const notSearched = [`all other responses, because ${refusal}`];
    return {
      template,
      origin: 'best-found',
      reason: argument.reason,
      pilotRuns: 0,
      notSearched,
    } as const;
  }
  const rivals = adversariesOf(model).length - known.found.length;
  const identitiesMax = PILOT_NODES_MAX - ordinaryNodes(model) - rivals;
  const limits = { fixed, identitiesMax, found: totalOf(known.found) };
  const { responses, leftOut } = spaceOf(model, protocol, limits);
  const isExhaustive = model.network.honest <= EXHAUSTIVE_HONEST_MAX;
  const naive = { ...NAIVE_RESPONSE, ...fixed };
  const others = responses.filter(
    (each) =>
      canonicalJson(each) !== canonicalJson(naive) &&
      (isExhaustive || isWorthTrying(each, template)),
  );
  const play = pilotOf(question, known.rival, trials);
  const found = findBest([naive, ...others], play, isExhaustive ? 'exhaustive' : 'halving');
  const { best, runs, refused } = found;
  const notSearched = [
    ...leftOut,
    ...refused.map(
      (each) =>
        `${labelOf(each)}, which a pilot run refused or which sends more than ${PILOT_MESSAGES_MAX} messages`,
    ),
    ...(known.found.length > 1 ? ['different responses of several adversaries'] : []),
    ...(rivals > 0 ? ['attacks of the other adversaries'] : []),
  ];
  const reason = reasonFor(found, naive, { others: others.length, isExhaustive });
  const isComplete =
    isExhaustive && refused.length === 0 && !leftOut.some((each) => each.startsWith('more than'));
  return {
    template: best,
    reason,
    pilotRuns: runs,
    notSearched,
    origin: isComplete ? 'exhaustive' : 'best-found',
  } as const;
}

function totalOf(found: readonly (number | null)[]): number {
  return found.reduce<number>((sum, each) => sum + (each ?? 0), 0);
}

function reasonFor(
  { best, wins, runs, naiveWins, refused, rivals }: Found<Response>,
  naive: Response,
  { others, isExhaustive }: { readonly others: number; readonly isExhaustive: boolean },
): string {
  if (refused.includes(naive))
    return 'Pilot runs refuse the naive response, so that nothing is compared.';
  const pilots = counted(runs, 'pilot run');
  const equally = isExhaustive
    ? `Each of ${counted(others + 1, 'response')} had ${Math.min(runs, RUNS_MIN)} pilot runs, and those not clearly worse than the best had ${runs}. `
    : '';
  const result =
    best === naive
      ? `None of ${counted(others, 'other response')} reached the aim clearly more often in ${pilots} than the naive response, which did in ${naiveWins}.`
      : `It reached the aim in ${wins} of ${pilots}, and the naive response in ${naiveWins}.`;
  if (rivals.length === 0) return `${equally}${result}`;
  const named = rivals.slice(0, RIVALS_NAMED).map(labelOf).join('; ');
  const more = rivals.length > RIVALS_NAMED ? `; and ${rivals.length - RIVALS_NAMED} more` : '';
  return `${equally}${result} At least as often did: ${named}${more}.`;
}

const RIVALS_NAMED = 4;

function labelOf({ goal, registers, behaviours }: Response): string {
  const acts = behaviours.length === 0 ? 'no behaviour' : behaviours.join(', ');
  return `${goal} registered ${registers} with ${acts}`;
}

/** Only the time of registration that the argument has chosen is tried. */
function isWorthTrying({ registers }: Response, template: Response): boolean {
  return registers === template.registers;
}

function ordinaryNodes({ network, adversaries }: ThreatModel): number {
  return Object.values(adversaries).reduce(
    (sum, { identities }) => sum + identities,
    network.honest,
  );
}

function searchRefusal(model: ThreatModel, found: readonly (number | null)[]): string | null {
  if (found.includes(null))
    return 'its work cannot be drawn for pilot runs: state a budget in attempts, or a rate';
  const nodes = ordinaryNodes(model) + found.length;
  if (nodes > PILOT_NODES_MAX)
    return `networks of more than ${PILOT_NODES_MAX} nodes are not searched`;
  return null;
}

/** Runs a response, given to all adversaries that the question is about, and counts the runs in which the first one reaches its aim. */
function pilotOf({ model, protocol }: Question, rival: Response, trials: Trials) {
  const sought = soughtIn(model);
  const isSought = (name: string) => sought === null || name === sought;
  const aims = adversariesOf(model).flatMap(([name, adversary]) =>
    isSought(name) ? [aimOf(model, adversary)] : [],
  );
  const [aim = 'lead'] = aims;
  const isExpected = PROPERTIES[model.expect.property].aim === aim;
  const property = isExpected ? model.expect.property : SHOWN_BY[aim];
  const isReversed = PROPERTIES[property].underAttack === 'fails';
  const election = { ...model.network.election, protocols: [protocol] };
  const base: ThreatModel = {
    ...model,
    work: 'sampled',
    confirmRuns: 0,
    network: { ...model.network, election },
    expect: { ...model.expect, property },
  };
  const seed = deriveSeed(parseSeed('0'), 'usurp/pilot/v1', modelText(base));
  return (response: Response, range: PilotRange) => {
    const adversaries = Object.fromEntries(
      adversariesOf(base).map(([name, { responses: _, ...adversary }]) => {
        return [
          name,
          {
            ...adversary,
            ...(isSought(name) ? response : rival),
            ...partsFor(model.adversaries[name] ?? adversary, protocol),
          },
        ] as const;
      }),
    );
    const played = trials.play({ ...base, adversaries }, seed, range);
    if (played === null || !isReversed) return played;
    return { ...played, wins: range.count - played.wins };
  };
}

/** The members that decide about a response. */
function modelText({ network, faults, epochs, adversaries, expect }: ThreatModel): string {
  const { property, count, by } = expect;
  return canonicalJson({ network, faults, epochs, adversaries, property, count, by });
}

/** The model with these responses: one for all protocols if they are equal. */
function withResponses(model: ThreatModel, chosen: readonly ChosenResponse[]): ThreatModel {
  const adversaries = Object.fromEntries(
    adversariesOf(model).map(([name, { responses: _, ...adversary }]) => {
      const own = chosen.filter((each) => each.adversary === name);
      const texts = new Set(own.map(({ response }) => canonicalJson(response)));
      const [first] = own;
      if (texts.size <= 1) return [name, { ...adversary, ...first?.response }] as const;
      const responses = Object.fromEntries(
        own.flatMap(({ protocols, response }) => protocols.map((protocol) => [protocol, response])),
      );
      return [name, { ...adversary, responses }] as const;
    }),
  );
  return { ...model, adversaries };
}

/** Responses that differ in the protocol alone as one. */
function grouped(responses: readonly ChosenResponse[]): readonly ChosenResponse[] {
  const groups = new Map<string, ChosenResponse>();
  for (const each of responses) {
    const key = canonicalJson({ ...each, protocols: [] });
    const before = groups.get(key);
    const protocols = [...(before?.protocols ?? []), ...each.protocols];
    groups.set(key, { ...each, protocols });
  }
  return [...groups.values()];
}

/** Responses that follow from the rules without a search, each with its argument in one sentence. */
interface Argument {
  /** The response, with the parts that the document fixes. */
  readonly template: Response;
  /** Why no response is better. */
  readonly reason: string;
  /** Whether the argument decides all open parts, so that nothing is left to search. */
  readonly isDecisive: boolean;
}

interface ArgumentFacts {
  readonly kind: RunKind;
  readonly protocol: ProtocolName;
  readonly fixed: FixedParts;
  /** Identities that the adversaries' budgets pay for, on average. Null if that is not known. */
  readonly identities: number | null;
}

/** The best response as far as an argument decides it. */
function argumentFor(
  model: ThreatModel,
  { kind, protocol, fixed, identities }: ArgumentFacts,
): Argument {
  const isForging = identities !== 0;
  const time = bestTime(model);
  const { goal, reason } = bestGoal(model, { kind, protocol, identities });
  const template = { ...NAIVE_RESPONSE, goal, registers: time.registers, ...fixed };
  // Fixed parts come first, so that the sentences are about the open ones.
  const sentences = [
    ...(isForging && fixed.goal === undefined ? [reason] : []),
    ...(isForging && fixed.registers === undefined ? [time.reason] : []),
  ];
  const isFollowing = fixed.behaviours !== undefined && fixed.behaviours.length === 0;
  const isSilent = fixed.behaviours !== undefined && (!isForging || fixed.goal !== undefined);
  return {
    template,
    reason: isForging ? sentences.join(' ') : 'Its budget is 0, so that it forges no identity.',
    isDecisive: isSilent || (isFollowing && kind !== 'watched'),
  };
}

interface BestTime {
  readonly registers: RegistrationTime;
  readonly reason: string;
}

function bestTime(model: ThreatModel): BestTime {
  const { refusing } = rulesOf(model);
  const [name] = refusing;
  if (name !== undefined) {
    const reason = `It registers before registration closes, because ${name} refuses nodes that come later.`;
    return { registers: 'before', reason };
  }
  const reason =
    'It registers when the honest nodes are known, because that is still possible and no knowledge is lost.';
  return { registers: 'after', reason };
}

interface BestGoal {
  readonly goal: string;
  readonly reason: string;
}

function bestGoal(
  model: ThreatModel,
  { kind, protocol, identities }: Omit<ArgumentFacts, 'fixed'>,
): BestGoal {
  const { drawing } = rulesOf(model);
  const [beacon] = drawing;
  switch (kind) {
    case 'capture':
      return captureGoal(model);
    case 'epochs':
      throw new TypeError('"kind" expected runs without epochs, which have plans for keys');
    case 'ranking':
    case 'watched':
      if (beacon !== undefined) {
        const reason = `It registers all identities, because ${beacon} draws the ranks later and each identity is one more chance of the highest.`;
        return { goal: ALL_IDENTITIES, reason };
      }
      if (!PROTOCOLS[protocol].isRanked) return withoutRanks(model, protocol, identities);
      return {
        goal: NAIVE_RESPONSE.goal,
        reason:
          PROPERTIES[model.expect.property].judges.top === null
            ? 'It registers one identity above all others: nodes that follow the protocol prevent no election.'
            : 'It registers one identity above all others: the highest rank decides, so that more of them win no other election.',
      };
    default:
      return kind satisfies never;
  }
}

/**
 * Some ranks are decided by the IDs in one region alone, so that no other key is worth a puzzle. A budget in attempts
 * pays for all puzzles anyway.
 */
function captureGoal(model: ThreatModel): BestGoal {
  const { expect, network } = model;
  const { refusing, drawing } = rulesOf(model);
  const region = REGIONS[expect.property];
  const paysHashes = adversariesOf(model).some(([, adversary]) => isBoundInWork(adversary));
  const isKnown = refusing.length === 0 || region === 'top';
  if (region === undefined || !paysHashes || !isKnown || drawing.length > 0) {
    const reason = 'It registers all identities, because each one raises its share of the ranks.';
    return { goal: ALL_IDENTITIES, reason };
  }
  // A rival may have more identities, or two keys may share an ID. Then the adversary goes on after it has enough.
  const isApart = (expect.by ?? TOGETHER) !== TOGETHER && adversariesOf(model).length > 1;
  const isShort = shortIdsOf(network.identity) !== null;
  const wanted = isApart || isShort ? ALL_IDENTITIES : expect.count;
  const ids =
    region === 'top' ? 'above every honest one' : 'between the victim and the next honest node';
  const reason = `It evaluates puzzles only for the IDs ${ids}: no other ID captures these ranks.`;
  return { goal: `${region}:${wanted}`, reason };
}

/** The region of the IDs that a property is about. */
const REGIONS: Partial<Record<PropertyName, 'top' | 'successors'>> = {
  'top-captured': 'top',
  'successors-captured': 'successors',
};

/** Where the rank has no meaning, each identity is one more chance, as far as elections can be watched. */
function withoutRanks(
  { network, adversaries }: ThreatModel,
  protocol: ProtocolName,
  identities: number | null,
): BestGoal {
  const because = `because the rank has no meaning in ${protocol} and each one is one more node that it controls`;
  const all = { goal: ALL_IDENTITIES, reason: `It registers all identities, ${because}.` };
  if (identities === null) return all;
  const each = Object.values(adversaries);
  const ordinary = each.reduce((sum, own) => sum + own.identities, network.honest);
  const most = Math.floor((WATCHED_NODES_MAX - ordinary) / Math.max(1, each.length));
  // Five standard deviations above the mean.
  if (identities + 5 * Math.sqrt(identities) <= most || most < 1) return all;
  const reason = `It registers ${most} identities, ${because}; elections of more than ${WATCHED_NODES_MAX} nodes are not watched.`;
  return { goal: `count:${most}`, reason };
}
