/**
 * @module
 * The closed form of a model, if its property has one for its kind of runs. The adversaries of one network
 * add up: one of them leads exactly if the best of all their identities does, and binomials with the same
 * p add. Every attempt is equally likely to have made the best identity, so that a part of the adversaries
 * leads with the part of that probability that its attempts are of all attempts.
 */

import { PROTOCOLS } from '../../election/registry.ts';
import { shortIdsOf } from '../../mining/odds.ts';
import { realBits, requiredBits } from '../../mining/policy-cost.ts';
import { identitiesMaxOf, responseOf } from '../document/response-schema.ts';
import type { Adversary, SearchRates, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf, runKindOf } from '../document/threat-model.ts';
import type { ClosedForms } from '../properties/property.ts';
import { PROPERTIES } from '../properties/registry.ts';
import type { Effort } from '../runs/budget.ts';
import { budgetAttempts, effortOf, isTimed } from '../runs/budget.ts';
import { epochPlanOf, lastForging } from '../runs/epochs-run.ts';
import { registrantOf, registrationOf, sidesOf } from '../runs/registration.ts';
import type { Tally } from '../runs/tally.ts';
import { forgeTally } from '../runs/tally.ts';
import type { Theory } from '../theory/answer.ts';
import { lawText, noClosedForm } from '../theory/answer.ts';
import type { Forging } from '../theory/closed-forms.ts';
import { tiedTop } from '../theory/closed-forms.ts';
import { lastEpochLaw } from '../theory/epoch-odds.ts';
import type { Capture, Share } from '../theory/expected-capture.ts';
import { expectedTopRanks, searchedTheory } from '../theory/expected-capture.ts';
import { sortedTopProbability } from '../theory/sorted-odds.ts';
import { shortPercent } from './verdict.ts';

const NO_ADVERSARY: Theory = { probability: 0, formula: 'no adversary' };
const SHARED_IDS = noClosedForm('node IDs are so short that several keys have the same one');

/** The probability that a run has the expected property. `rateMeasured` as in `budgetAttempts`. */
export function theoryOf(model: ThreatModel, tally: Tally, rateMeasured: SearchRates): Theory {
  const { name, closedForms } = PROPERTIES[model.expect.property];
  const unknown = () => noClosedForm(`there is no closed form for ${name} over these runs`);
  const kind = runKindOf(model);
  switch (kind) {
    case 'ranking': {
      const { law, share = 1, remarks } = forgingOf(model, tally, rateMeasured);
      const theory = ownShare(closedForms.election?.(law) ?? unknown(), share);
      return { ...theory, formula: [theory.formula, ...remarks].join(', ') };
    }
    case 'capture': {
      if (shortIdsOf(model.network.identity) !== null) return SHARED_IDS;
      const capture = captureOf(model, rateMeasured);
      if ('formula' in capture) return capture;
      return closedForms.ranking?.(capture, model.expect.count) ?? unknown();
    }
    case 'epochs':
      return epochsTheory(model, rateMeasured, closedForms) ?? unknown();
    case 'watched': {
      if (closedForms.watched === null) {
        return noClosedForm('elections that are watched have no closed form');
      }
      const law = watchedLaw(model, rateMeasured);
      if ('formula' in law) return law;
      return ownShare(closedForms.watched(law), law.share);
    }
    default:
      return kind satisfies never;
  }
}

/** The parts of an effort that decide on the law. */
type KnownEffort = Pick<Effort, 'attempts' | 'isFiltered' | 'few' | 'sorted'>;

/** The law of the forged identities in elections by rank alone, and remarks on its numbers. */
function forgingOf(model: ThreatModel, tally: Tally, rateMeasured: SearchRates) {
  const adversaries = adversariesOf(model);
  if (adversaries.length === 0) return { law: NO_ADVERSARY, remarks: [] };
  const efforts = new Map<string, KnownEffort>();
  const remarks = new Set<string>();
  for (const [name, adversary] of adversaries) {
    const reason = unknownAttempts(model, adversary);
    if (reason !== null) return { law: noClosedForm(reason), remarks: [] };
    if (model.work === 'sampled' || !isTimed(adversary.budget)) {
      efforts.set(name, effortOf(model, adversary, rateMeasured));
      continue;
    }
    const exhausted = forgeTally(tally, name)?.exhausted;
    if (exhausted === undefined || exhausted.runs === 0) {
      const law = noClosedForm('no run used its seconds up, so their worth is not known');
      return { law, remarks: [] };
    }
    const mean = exhausted.attempts / exhausted.runs;
    efforts.set(name, { attempts: () => mean, isFiltered: false, few: null, sorted: null });
    remarks.add('N the mean of the runs that used their seconds up');
  }
  const { honest } = model.network;
  const at = (above: number) =>
    judgedOf(model, new Map([...efforts].map(([name, { attempts }]) => [name, attempts(above)])));
  const { all, share } = at(1);
  const plain = { honest, attempts: all, difficultyBits: difficultyBitsOf(model) };
  // If an ID costs nearly a whole attempt, dropping IDs saves nothing.
  const isWhole = ({ isFiltered, few, attempts }: KnownEffort) =>
    !isFiltered || (few === null && attempts(0) === attempts(1));
  if ([...efforts.values()].every(isWhole)) {
    const registered = registeredLaw(model, plain);
    const tied = tiedTheory(model, efforts, registered);
    if (tied !== null) return { law: tied, remarks: [...remarks] };
    const sorted = sortedTheory([...efforts.values()], registered);
    if (sorted !== null) return { law: sorted, remarks: [...remarks] };
    return { law: registered, share, remarks: [...remarks] };
  }
  if (shortIdsOf(model.network.identity) !== null) {
    const law = noClosedForm('the highest honest ID decides on the attempts, and IDs are short');
    return { law, remarks: [] };
  }
  if ([...efforts.values()].some(({ few }) => few !== null))
    return { law: fewTheory(model, efforts, plain), remarks: [...remarks] };
  const law: Forging = {
    ...plain,
    attemptsAt: (above) => at(above).all,
    partAt: (above) => at(above).share,
  };
  return { law: registeredLaw(model, law), remarks: [...remarks] };
}

/** The highest rank if an adversary tests its keys from the highest ID down. Null if it may test each of them. */
function sortedTheory(efforts: readonly KnownEffort[], law: Forging | Theory): Theory | null {
  const sorted = efforts.flatMap((effort) => effort.sorted ?? []);
  const isPartly = sorted.some(({ keys, evaluations }) => evaluations < keys);
  if ('formula' in law || !isPartly) return null;
  const [{ keys, evaluations } = { keys: 0, evaluations: 0 }] = sorted;
  if (efforts.length > 1) {
    return noClosedForm('several adversaries test their keys from the highest ID down');
  }
  const formula = `sum over ${evaluations} tests of ${keys} keys from the top down, n = ${law.honest}, p = 2^-${law.difficultyBits}`;
  return { probability: sortedTopProbability({ keys, evaluations }, law), formula };
}

/** The highest rank if budgets pay for so few evaluations of the puzzle that their mean number is not enough to know. */
function fewTheory(
  model: ThreatModel,
  efforts: ReadonlyMap<string, KnownEffort>,
  law: Forging,
): Forging | Theory {
  const registered = registeredLaw(model, law);
  if ('formula' in registered) return registered;
  const judged = sidesOf(model).map((side) => indicesOf(efforts.keys(), side));
  return searchedTheory({ searches: [...efforts.values()], judged }, law, 1);
}

/** The indices in `names` of the adversaries of a side. */
function indicesOf(names: Iterable<string>, side: ReadonlySet<string>): number[] {
  return [...names].flatMap((name, index) => (side.has(name) ? [index] : []));
}

/**
 * The highest rank where IDs are short. Adversaries register in the order of their names. Null if ties are so rare that
 * they have no effect on the first four digits.
 */
function tiedTheory(
  model: ThreatModel,
  efforts: ReadonlyMap<string, Pick<Effort, 'attempts'>>,
  registered: Forging | Theory,
): Theory | null {
  const ids = shortIdsOf(model.network.identity);
  const isKnown = 'formula' in registered && (registered.probability ?? 0) === 0;
  if (ids === null || isKnown) return null;
  if ('formula' in registered || registrationOf(model).isBeaconRanked) return SHARED_IDS;
  const { honest } = model.network;
  const judged = sidesOf(model).flatMap((side) => [...side]);
  const spent = { before: 0, own: 0, later: 0 };
  for (const [name, { attempts }] of efforts) {
    spent[judged.includes(name) ? 'own' : name < (judged[0] ?? '') ? 'before' : 'later'] +=
      attempts(1);
  }
  const odds = tiedTop({ honest, ids: ids.admissible, share: ids.share, attempts: spent });
  if (odds === null) return null;
  const ties = `${shortPercent(Number(odds.equal.toPrecision(3)))} % tie with it and are refused`;
  const formula = `P(best of ${spent.own} keys > highest honest ID), n = ${honest}, ${ids.admissible} valid IDs; ${ties}`;
  return { probability: odds.above, formula };
}

/** The attempts of all adversaries, and the part of them that the judged ones make. */
function judgedOf(model: ThreatModel, attempts: ReadonlyMap<string, number>) {
  const sum = (names: Iterable<string>) =>
    [...names].reduce((total, name) => total + (attempts.get(name) ?? 0), 0);
  const all = sum(attempts.keys());
  const own = sum(sidesOf(model).flatMap((side) => [...side]));
  return { all, share: own === all ? 1 : own / all };
}

/** The probability that the best forged identity wins and belongs to the judged adversaries. */
function ownShare(theory: Theory, share: number): Theory {
  if (theory.probability === null || share === 1) return theory;
  const formula = `${Number(share.toPrecision(6))} of all attempts * ${theory.formula}`;
  return { probability: share * theory.probability, formula };
}

/** The law of the highest rank if adversaries register only some of their identities, or none. */
function registeredLaw(model: ThreatModel, law: Forging): Forging | Theory {
  const registrants = adversariesOf(model).map(([, adversary]) => registrantOf(model, adversary));
  if (registrants.every((each) => each?.most === 0)) {
    const formula = '0, as frozen-membership refuses every node that registers late';
    return { probability: 0, formula };
  }
  const [first, ...others] = registrants;
  const { most = 0, which = 'any' } = first ?? {};
  const isAll = registrants.every(
    (each) => each !== null && (each.which !== 'any' || each.most === Number.POSITIVE_INFINITY),
  );
  if (isAll) return law;
  if (others.length > 0 || which !== 'any') {
    return noClosedForm('the closed form is for adversaries that register all, or the best one');
  }
  const capped = { ...law, identitiesMax: Math.min(most, law.attempts) };
  return { probability: expectedTopRanks(capped, 1), formula: `E[K/(n+K)], ${lawText(capped)}` };
}

/**
 * The law of the forged identities in watched elections: known if all nodes follow protocols that do not rank
 * them, no fault and no defence intervenes, and adversaries register all that they find.
 */
function watchedLaw(
  model: ThreatModel,
  rateMeasured: SearchRates,
): (Forging & { readonly share: number }) | Theory {
  const { protocols, defences, resource } = model.network.election;
  const adversaries = adversariesOf(model);
  if (adversaries.length === 0) return NO_ADVERSARY;
  if (shortIdsOf(model.network.identity) !== null) return SHARED_IDS;
  const isPlain =
    protocols.every((name) => !PROTOCOLS[name].isRanked) &&
    adversaries.every(([, adversary]) => responseOf(adversary).behaviours.length === 0) &&
    defences.length === 0 &&
    model.faults === undefined &&
    resource === undefined;
  if (!isPlain) {
    return noClosedForm(
      'elections that are watched have one only if all nodes follow a protocol without ranks, without faults and defences',
    );
  }
  const attempts = new Map<string, number>();
  for (const [name, adversary] of adversaries) {
    const reason = unknownAttempts(model, adversary) ?? unknownShare(model, adversary);
    if (reason !== null) return noClosedForm(reason);
    attempts.set(name, budgetAttempts(model, adversary, rateMeasured));
  }
  const { all, share } = judgedOf(model, attempts);
  const difficultyBits = difficultyBitsOf(model);
  return { honest: model.network.honest, attempts: all, difficultyBits, share };
}

/** Why the share of an adversary follows no known law, if its attempts do. */
function unknownShare(model: ThreatModel, adversary: Adversary): string | null {
  const registrant = registrantOf(model, adversary);
  if (registrant?.which !== 'any' || registrant.most !== Number.POSITIVE_INFINITY) {
    return 'the closed form is for adversaries that register all identities that they find';
  }
  if (adversary.identities > 0) return 'ordinary identities have the lowest ranks';
  if (model.work === 'mined' && isTimed(adversary.budget)) {
    return 'the closed form is for a budget in attempts';
  }
  return null;
}

/** Why the attempts of an adversary follow no known law. Null if they do. */
function unknownAttempts(model: ThreatModel, adversary: Adversary): string | null {
  const { goal, strategy, budget } = adversary;
  if (registrantOf(model, adversary) === null) {
    return `the closed form is for the goals top, any, all and count, not ${goal}`;
  }
  if (strategy === 'stockpile') return 'keys in stock are tested from the top, not as they come';
  const paysSolutions = isTimed(budget) || budget.hashes !== undefined;
  if (paysSolutions && requiredBits(model.network.identity).c2 > 0) {
    return 'hashes and seconds also pay for dynamic solutions';
  }
  return null;
}

function captureOf(model: ThreatModel, rateMeasured: SearchRates): Capture | Theory {
  const adversaries = adversariesOf(model);
  if (adversaries.length === 0) return NO_ADVERSARY;
  if (adversaries.some(([, each]) => (registrantOf(model, each)?.which ?? 'any') !== 'any')) {
    return aimedCaptureOf(model, rateMeasured);
  }
  const shares = new Map<string, Share>();
  let identitiesMax = Number.POSITIVE_INFINITY;
  for (const [name, adversary] of adversaries) {
    const { goal } = responseOf(adversary);
    const most = identitiesMaxOf(goal);
    if (most === null) {
      return noClosedForm('the closed form is for all identities that are found');
    }
    if (most < Number.POSITIVE_INFINITY && adversaries.length > 1) {
      return noClosedForm('the closed form of several adversaries is for the goal all');
    }
    if (model.work === 'mined' && adversary.budget.attempts === undefined) {
      return noClosedForm('the closed form is for a budget in attempts');
    }
    identitiesMax = most;
    const attempts = budgetAttempts(model, adversary, rateMeasured);
    shares.set(name, { attempts, ordinary: adversary.identities });
  }
  const difficultyBits = difficultyBitsOf(model);
  return {
    honest: model.network.honest,
    difficultyBits,
    ...sumOf([...shares.values()]),
    ...(identitiesMax === Number.POSITIVE_INFINITY ? {} : { identitiesMax }),
    sides: sidesOf(model).map((side) => sumOf([...side].flatMap((name) => shares.get(name) ?? []))),
  };
}

/** The capture by adversaries that seek identities in the place of the ranks that they want. */
function aimedCaptureOf(model: ThreatModel, rateMeasured: SearchRates): Capture | Theory {
  const { property, count } = model.expect;
  const adversaries = adversariesOf(model);
  const ofTop = property === 'top-captured' ? ['above', 'best'] : [];
  const wanted = property === 'successors-captured' ? ['after'] : ofTop;
  const sides = sidesOf(model);
  const isApart = sides.some(({ size }) => size < adversaries.length);
  const efforts = new Map<string, Effort>();
  for (const [name, adversary] of adversaries) {
    const { which, most } = registrantOf(model, adversary) ?? { which: 'any', most: 0 };
    const reason = unknownAttempts(model, adversary);
    if (reason !== null) return noClosedForm(reason);
    if (!wanted.includes(which) || most < count || (isApart && most < Number.POSITIVE_INFINITY)) {
      return noClosedForm('adversaries seek other identities than those of these ranks, or fewer');
    }
    if (model.work === 'mined' && (isTimed(adversary.budget) || which === 'best')) {
      return noClosedForm('the closed form is for a budget in attempts or hashes');
    }
    const own = adversary.identities;
    if (own > 0) return noClosedForm('ordinary identities have the lowest ranks');
    efforts.set(name, effortOf(model, adversary, rateMeasured));
  }
  const madeBy = (names: Iterable<string>, share: number) =>
    [...names].reduce((sum, name) => sum + (efforts.get(name)?.attempts(share) ?? 0), 0);
  const at = (share: number) => ({
    all: madeBy(efforts.keys(), share),
    sides: sides.map((side) => madeBy(side, share)),
  });
  return {
    honest: model.network.honest,
    difficultyBits: difficultyBitsOf(model),
    ordinary: 0,
    attempts: at(1).all,
    sides: at(1).sides.map((attempts) => ({ attempts, ordinary: 0 })),
    aimed: {
      at,
      searches: [...efforts.values()],
      judged: sides.map((side) => indicesOf(efforts.keys(), side)),
    },
  };
}

function sumOf(shares: readonly Share[]): Share {
  return {
    attempts: shares.reduce((sum, { attempts }) => sum + attempts, 0),
    ordinary: shares.reduce((sum, { ordinary }) => sum + ordinary, 0),
  };
}

/** Null if the property has no closed form over epochs. */
function epochsTheory(
  model: ThreatModel,
  rateMeasured: SearchRates,
  { epochs, ranking }: ClosedForms,
): Theory | null {
  if (epochs === null && ranking === null) return null;
  const whole = epochPlanOf(model, rateMeasured);
  const { retargeting, honest, adversary, ...plan } = whole;
  if (retargeting !== null) return noClosedForm('the difficulty moves');
  if (honest.testsPerWindow !== null) return noClosedForm('honest nodes may be without a claim');
  const forging = { ...plan, ...lastForging(whole), revealChoices: adversary.revealChoices };
  if (epochs !== null) return epochs(forging);
  if (adversary.revealChoices > 0) return noClosedForm('it chooses among beacons');
  const law = lastEpochLaw(forging);
  if ('formula' in law) return law;
  const own = { ...law, ordinary: 0 };
  return ranking?.({ ...own, sides: [own] }, model.expect.count) ?? null;
}

function difficultyBitsOf({ network: { identity } }: ThreatModel): number {
  return realBits(identity).c1;
}
