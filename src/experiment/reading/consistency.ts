/**
 * @module
 * The rules that members of a threat model must satisfy together: work that can be done, budgets that sampled
 * work can convert into attempts, a latency that the simulator knows. Each refusal names the limit or the
 * member that repairs it.
 */

import { parseWish } from '../../adversary/goals.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { ID_BITS_MAX, nodeIdBytesOf } from '../../identity/ids/node-id.ts';
import { policyUnsupportedReasons } from '../../identity/policy.ts';
import { puzzleHashes } from '../../identity/puzzles/puzzle-function.ts';
import { deviceUnsuited } from '../../mining/device/suited.ts';
import { goalIdBytes } from '../../mining/goal.ts';
import { NATIVE_CORE } from '../../mining/native.ts';
import { shortIdsOf } from '../../mining/odds.ts';
import {
  attemptHashes,
  freeIds,
  realBits,
  requiredBits,
  takesSalt,
} from '../../mining/policy-cost.ts';
import { keysOfUse, STOCK_MAX } from '../../mining/stockpile.ts';
import { parseLatency } from '../../simulation/faults/latency.ts';
import { MESSAGES_LIMIT } from '../../simulation/plan/plan.ts';
import {
  CAPTURED_MAX,
  EPOCH_CLAIMS_MAX,
  HONEST_ELECTED_MAX,
  HONEST_WORK_MAX,
} from '../document/limits.ts';
import {
  ALL_IDENTITIES,
  aimedOf,
  identitiesMaxOf,
  responseOf,
} from '../document/response-schema.ts';
import type { Adversary, ThreatModel } from '../document/threat-model.ts';
import {
  ANY_ONE,
  adversariesOf,
  armsOf,
  mayForge,
  planNeedOf,
  runKindOf,
  TOGETHER,
} from '../document/threat-model.ts';
import { alternatives, counted } from '../document/wording.ts';
import { epochAimOf } from '../properties/property.ts';
import { isAboutAdversaries, namesJudgedBy, PROPERTIES } from '../properties/registry.ts';
import type { Contradiction } from './stage-faults.ts';
import { at, registrationFault, stageFault } from './stage-faults.ts';

/** The contradictions in a model whose members are each valid. */
export function* contradictions(model: ThreatModel): Generator<Contradiction> {
  const { identity } = model.network;
  for (const { path, message } of policyUnsupportedReasons(identity, identity.scheme)) {
    yield at(['network.identity', ...path].join('.'), message);
  }
  yield* freeIdContradictions(model);
  yield* idContradictions(model);
  yield* responseContradictions(model);
  for (const arm of armsOf(model)) {
    yield* electionContradictions(arm.model);
    yield* kindContradictions(arm.model);
  }
  if (model.work === 'mined') yield* minedContradictions(model);
  // Epochs convert seconds in mined work, too.
  if (model.work === 'sampled' || model.epochs !== undefined) yield* sampledContradictions(model);
  for (const [name, adversary] of adversariesOf(model)) {
    yield* strategyContradictions(`adversaries.${name}`, adversary, model);
  }
}

/** IDs and keys for which nothing is hashed, so that attempts or hashes bound no adversary. */
function* freeIdContradictions(model: ThreatModel): Generator<Contradiction> {
  const { identity } = model.network;
  const free = freeIds(identity);
  if (free !== null && Object.values(model.adversaries).some(mayForge)) {
    const message = `must be true if there are adversaries with a budget: without it ${free.why} (docs/museum.md, "IDs that cost no key")`;
    yield at(`network.identity.checks.${free.check}`, message);
  }
  if (attemptHashes(identity) > 0 || requiredBits(identity).c2 > 0) return;
  for (const [name, { budget }] of adversariesOf(model)) {
    if (budget.hashes === undefined) continue;
    const message = `bounds nothing under the ${identity.idRule} rule, which hashes nothing: write attempts or cpuSeconds`;
    yield at(`adversaries.${name}.budget.hashes`, message);
  }
}

/** IDs that are too few for their nodes, or that epochs would draw without ties. */
function* idContradictions(model: ThreatModel): Generator<Contradiction> {
  const { identity } = model.network;
  const ids = shortIdsOf(identity);
  if (ids === null) return;
  const nodes = ordinaryNodes(model);
  // IDs of the whole length cannot be longer.
  const isShortened = nodeIdBytesOf(identity) < nodeIdBytesOf({ ...identity, idBits: ID_BITS_MAX });
  const path = `network.identity.${isShortened ? 'idBits' : 'c1'}`;
  const change = isShortened ? 'higher' : 'lower';
  if (2 * nodes > ids.admissible) {
    const remedy = isShortened ? 'raise it, or lower c1' : 'lower it';
    const message = `leaves ${counted(ids.admissible, 'node ID')} that the puzzle admits, and ${nodes} nodes need twice as many as they are: ${remedy} or network.honest`;
    yield at(path, message);
  }
  if (model.epochs !== undefined) {
    const message = `must be ${change} if there are epochs, which draw IDs that no two keys share`;
    yield at(path, message);
  }
}

/** Responses to protocols that the document does not name. */
function* responseContradictions(model: ThreatModel): Generator<Contradiction> {
  const { protocols } = model.network.election;
  if (new Set(protocols).size < protocols.length) {
    yield at('network.election.protocols', 'must name each protocol once');
  }
  for (const [name, { responses = {} }] of adversariesOf(model)) {
    const other = PROTOCOL_NAMES.find(
      (protocol) => responses[protocol] !== undefined && !protocols.includes(protocol),
    );
    if (other === undefined) continue;
    const message = `must not name ${other}, which is not one of network.election.protocols`;
    yield at(`adversaries.${name}.responses`, message);
  }
}

function* strategyContradictions(
  path: string,
  adversary: Adversary,
  model: ThreatModel,
): Generator<Contradiction> {
  const { strategy, dynamicStrategy, stockpile, rate } = adversary;
  const { identity } = model.network;
  const isSampled = model.work === 'sampled' || model.epochs !== undefined;
  if (rate === 'measured on gpu') {
    const reason = deviceUnsuited({ strategy, policy: identity });
    const why = isSampled
      ? reason && `a graphics card ${reason}`
      : 'work: mined takes the processor';
    if (why !== null) yield at(`${path}.rate`, `must not be measured on gpu: ${why}`);
  }
  if (strategy === 'stockpile' && stockpile === undefined) {
    const message = 'needs stockpile beside it: the number of keys made before, such as 65536';
    yield at(`${path}.strategy`, message);
  }
  if (strategy !== 'stockpile' && stockpile !== undefined && model.epochs === undefined) {
    const message = 'applies to strategy: stockpile and to epochs: leave it out, or set it to null';
    yield at(`${path}.stockpile`, message);
  }
  if (strategy === 'stockpile' && stockpile !== undefined) {
    const kept = keysOfUse(stockpile, { policy: identity, goal: { type: 'any' } });
    const message = `must be at most ${STOCK_MAX} with this c1: ${kept} keys are worth keeping, and more do not fit in memory (1.3 GB)`;
    if (kept > STOCK_MAX) yield at(`${path}.stockpile`, message);
  }
  const { goal } = responseOf(adversary);
  if (isSampled && identitiesMaxOf(goal) === null) {
    const message = 'must be top, any, all or count:<k> with work: sampled; or write work: mined';
    yield at(`${path}.goal`, message);
  }
  const aimed = aimedOf(goal);
  if (aimed !== null && goal !== 'top') {
    const property = `${aimed.region}-captured`;
    if (model.expect.property !== property || model.epochs !== undefined) {
      const message = `${goal} is for the property ${property} without epochs; write top, count:<k> or all`;
      yield at(`${path}.goal`, message);
    } else if (shortIdsOf(identity) !== null && Number.isFinite(aimed.identities)) {
      const message = `${goal} needs IDs that no two keys share: write ${aimed.region}:all, or raise network.identity.idBits`;
      yield at(`${path}.goal`, message);
    }
  }
  const wish = goal === ALL_IDENTITIES ? null : parseWish(goal);
  const bytes = wish === null || wish.type === 'top' ? null : goalIdBytes(wish);
  const idBytes = nodeIdBytesOf(identity);
  if (bytes !== null && bytes !== idBytes) {
    const message = `is about IDs of ${bytes} bytes, those of this policy have ${idBytes}`;
    yield at(`${path}.goal`, message);
  }
  if (strategy === 'stockpile' && isSampled) {
    yield at(`${path}.strategy`, 'cannot be drawn by work: sampled; write work: mined');
  }
  if (dynamicStrategy === 'amortised-xor' && identity.dynamic !== 'xor') {
    const message = 'works only against network.identity.dynamic: xor; or write dynamic';
    yield at(`${path}.dynamicStrategy`, message);
  }
}

/** Whether the elections of a document are decided by rank. */
function isRankingAlone(model: ThreatModel): boolean {
  return runKindOf(model) === 'ranking';
}

function* electionContradictions(model: ThreatModel): Generator<Contradiction> {
  const { protocols, latency } = model.network.election;
  const path = 'network.election.protocols';
  // These are about the highest rank: for other protocols work: sampled would draw the wrong law.
  const isAboutHighest = isRankingAlone(model) || model.expect.property === 'highest-leads';
  for (const name of isAboutHighest ? protocols : []) {
    if (PROTOCOLS[name].elects !== 'any') continue;
    const reason =
      'because there any node may lead, and this threat model is about the highest node ID';
    yield at(path, `must not name ${name}, ${reason}`);
  }
  try {
    parseLatency(String(latency));
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    yield at('network.election.latency', error.message.replace(/^latency /, ''));
  }
}

function* minedContradictions(model: ThreatModel): Generator<Contradiction> {
  const { network } = model;
  if (isRankingAlone(model)) yield* crowded(model, 'mined work holds its elections in every run');
  const { c1, c2 } = realBits(network.identity);
  const solved = (c1 > 0 ? 2 ** c1 : 1) + (c2 > 0 ? 2 ** c2 : 0);
  const { count: epochs = 1, newcomers = 0 } = model.epochs ?? {};
  const nodes = ordinaryNodes(model) + (epochs - 1) * newcomers;
  const expected = nodes * epochs * solved * puzzleHashes(network.identity.puzzle);
  if (expected <= HONEST_WORK_MAX) return;
  yield at(
    'network.identity',
    `requires about ${expected.toExponential(1)} attempts of the honest nodes in a run, more than the ` +
      `limit of ${HONEST_WORK_MAX}: write work: sampled, or lower c1, c2 or network.honest`,
  );
}

function* sampledContradictions(model: ThreatModel): Generator<Contradiction> {
  if (model.expect.property === 'highest-leads' && isRankingAlone(model)) {
    yield* crowded(model, 'highest-leads is decided by an election in every run');
  }
  const isDynamic = requiredBits(model.network.identity).c2 > 0;
  const isDrawn = model.work === 'sampled';
  for (const [name, { budget, rate, keyRate }] of adversariesOf(model)) {
    if (keyRate !== undefined && !(typeof rate === 'number' && rate < keyRate)) {
      yield at(
        `adversaries.${name}.keyRate`,
        'must be above a rate that is stated: write rate, too',
      );
    }
    const isTimed = budget.cpuSeconds !== undefined || budget.wallSeconds !== undefined;
    if (isTimed && rate === undefined) {
      yield at(
        `adversaries.${name}`,
        `has a budget in seconds, which ${isDrawn ? 'work: sampled converts' : 'epochs convert'} into attempts by a rate: ` +
          `write rate: ${NATIVE_CORE.rate} (candidates per second of native code on one core), rate: measured or rate: measured on gpu`,
      );
    } else if (isDynamic && (isTimed || budget.hashes !== undefined)) {
      yield at(
        `adversaries.${name}.budget`,
        'must be in attempts only: with a dynamic puzzle (c2 above 0) hashes and seconds ' +
          'also pay for solutions, which work: sampled does not draw; or write work: mined',
      );
    }
  }
}

/** Nodes whose identities are made like those of honest nodes. */
function ordinaryNodes({ network, adversaries }: ThreatModel): number {
  const counts = Object.values(adversaries).map(({ identities }) => identities);
  return counts.reduce((sum, count) => sum + count, network.honest);
}

function* crowded(model: ThreatModel, reason: string): Generator<Contradiction> {
  const { honest, election } = model.network;
  const nodes = honest + Object.keys(model.adversaries).length;
  const expensive = election.protocols.find(
    (name) => PROTOCOLS[name].messagesAbout(nodes) > MESSAGES_LIMIT,
  );
  if (honest > HONEST_ELECTED_MAX) {
    yield at('network.honest', `must be at most ${HONEST_ELECTED_MAX}, because ${reason}`);
  } else if (expensive !== undefined) {
    const message = `must be lower for ${expensive}, which would send over ${MESSAGES_LIMIT} messages, because ${reason}`;
    yield at('network.honest', message);
  }
}

/**
 * The members that do not fit the kind of run. The rules for the members of a threat model that depend on its kind
 * of run: epochs that can be drawn, captures and watched elections that end, and no member that the kind of run
 * ignores.
 */
function* kindContradictions(model: ThreatModel): Generator<Contradiction> {
  const { property, count } = model.expect;
  if (!PROPERTIES[property].isCounted && count !== 1) {
    yield at('expect.count', `does not apply to ${property}: leave it out`);
  }
  yield* byContradictions(model);
  if (model.epochs === undefined) yield* withoutEpochs(model);
  const kind = runKindOf(model);
  switch (kind) {
    case 'epochs':
      yield* epochsContradictions(model);
      return yield* registrationContradictions(model);
    case 'capture':
      yield* captureContradictions(model);
      return yield* registrationContradictions(model);
    case 'watched': {
      // Only the first, because the others may follow from it.
      const fault = stageFault(model);
      if (fault !== null) yield fault;
      return;
    }
    case 'ranking': {
      const fault = registrationFault(model);
      if (fault !== null) yield fault;
      return;
    }
    default:
      return kind satisfies never;
  }
}

/** Judged adversaries that the document does not have, or that its property is not about. */
function* byContradictions({ expect: { by = TOGETHER, property }, adversaries }: ThreatModel) {
  const words = [TOGETHER, ANY_ONE];
  const reserved = words.find((word) => Object.hasOwn(adversaries, word));
  if (reserved !== undefined) {
    yield at(`adversaries.${reserved}`, 'must have another name: expect.by has this word');
  } else if (!words.includes(by) && !Object.hasOwn(adversaries, by)) {
    const names = alternatives([...words, ...Object.keys(adversaries).sort()]);
    yield at('expect.by', `must be ${names}`);
  } else if (by !== TOGETHER && !isAboutAdversaries(property)) {
    yield at(
      'expect.by',
      `does not apply to ${property}, which is not about adversaries: leave it out`,
    );
  }
}

/** Defences of registration and ranks, which the closed forms do not include. */
function* registrationContradictions({ network }: ThreatModel): Generator<Contradiction> {
  const { defences } = network.election;
  const registration = ['frozen-membership', 'beacon-rank'] as const;
  const named = registration.find((name) => defences.includes(name));
  if (named !== undefined) {
    yield at('network.election.defences', `must not name ${named} if no election is watched`);
  }
}

/** Members that apply to epochs only. */
function* withoutEpochs({ work, expect, adversaries }: ThreatModel): Generator<Contradiction> {
  if (!namesJudgedBy('election', 'watched', 'ranking').includes(expect.property)) {
    yield at(
      'expect.property',
      `is about epochs: add epochs: {count: 10}, or expect another property than ${expect.property}`,
    );
  }
  for (const [name, { reveals, plan, keyRate }] of Object.entries(adversaries)) {
    if (keyRate !== undefined && work === 'mined') {
      yield at(
        `adversaries.${name}.keyRate`,
        'has no effect on mined work without epochs, whose seconds are measured: leave it out, or write work: sampled',
      );
    }
    if (plan !== undefined) {
      yield at(
        `adversaries.${name}.plan`,
        'is about the keys of epochs: add epochs, or leave it out',
      );
    }
    if (reveals > 0) {
      yield at(
        `adversaries.${name}.reveals`,
        'is about the beacons of epochs: add epochs, or leave it out',
      );
    }
  }
}

/** Members of epochs and of their adversaries that nothing reads, because of other members. */
function* unreadOfEpochs(model: ThreatModel): Generator<Contradiction> {
  const { epochs, adversaries, expect } = model;
  if (epochs === undefined) return;
  const { count, salt, churn, newcomers, retargeting, unspent, honestAttempts } = epochs;
  const isSaved = unspent === 'saved';
  const later = { churn: churn > 0, newcomers: newcomers > 0, retargeting, unspent: isSaved };
  const { wants } = epochAimOf(PROPERTIES[expect.property]);
  for (const [member, isGiven] of count === 1 ? Object.entries(later) : []) {
    if (!isGiven) continue;
    const message = 'has no effect on one epoch: leave it out, or write epochs.count of at least 2';
    yield at(`epochs.${member}`, message);
  }
  const isChanging = churn > 0 || newcomers > 0 || honestAttempts !== undefined;
  const isSpent = salt === 'rank' || (salt === 'none' && !isChanging);
  if (count > 1 && isSaved && isSpent && retargeting === undefined) {
    const message =
      'has no effect if the puzzle has no salt, because each test counts for ever, so that nothing is left over: leave it out, or write epochs.salt: puzzle or both';
    yield at('epochs.unspent', message);
  }
  for (const [name, { reveals, plan, stockpile }] of Object.entries(adversaries)) {
    if (reveals > 0 && (salt === 'none' || salt === 'puzzle')) {
      const message = 'chooses among ranks, so that epochs.salt must be rank or both';
      yield at(`adversaries.${name}.reveals`, message);
    } else if (reveals > 0 && wants === 'many') {
      const message = `has no effect on ${expect.property}, which is not about ranks: leave it out`;
      yield at(`adversaries.${name}.reveals`, message);
    }
    if (plan === 'fresh' && stockpile !== undefined && salt !== 'none' && salt !== 'rank') {
      const message =
        'has no effect with plan: fresh, which tests no kept key: leave one of them out';
      yield at(`adversaries.${name}.stockpile`, message);
    }
  }
}

/** Salts and difficulties that have no effect on the puzzle of the policy, or on the work for it. */
function* puzzleContradictions({ epochs, network }: ThreatModel): Generator<Contradiction> {
  const { identity } = network;
  if (epochs === undefined) return;
  if (epochs.salt !== 'none' && epochs.salt !== 'rank' && !takesSalt(identity)) {
    const message = `must be none or rank under the ${identity.idRule} rule: no salt changes a puzzle that is the ID itself`;
    yield at('epochs.salt', message);
  }
  const isWork = identity.checks.static && realBits(identity, { c1: 1, c2: 0 }).c1 === 1;
  if (epochs.retargeting !== undefined && !isWork) {
    const member = identity.checks.static ? 'idRule' : 'checks.static';
    const message = `must be left out with this network.identity.${member}, because some of the bits that it adds cost no work`;
    yield at('epochs.retargeting', message);
  }
}

function* epochsContradictions(model: ThreatModel): Generator<Contradiction> {
  yield* unreadOfEpochs(model);
  yield* puzzleContradictions(model);
  const { work, expect, network, epochs, adversaries, faults } = model;
  const { idRule } = network.identity;
  if (work === 'mined' && idRule !== 'hash') {
    yield at('network.identity.idRule', 'must be hash if epochs are mined, or write work: sampled');
  }
  const fitting = namesJudgedBy('epochs', 'ranking');
  if (!fitting.includes(expect.property)) {
    yield at('expect.property', `must be one of ${fitting.join(', ')} if there are epochs`);
  }
  if (network.identity.c2 > 0) {
    const message = 'must be 0 if there are epochs, which have only the static puzzle';
    yield at('network.identity.c2', message);
  }
  if (faults !== undefined) {
    yield at('faults', 'apply to watched elections, and epochs are drawn: leave one of them out');
  }
  const names = Object.keys(adversaries).sort();
  if (names.length > 1) {
    const message =
      'must be the only one if there are epochs: give one adversary the budget of all';
    yield at(`adversaries.${names[1]}`, message);
  }
  for (const name of names) {
    const own = adversaries[name];
    const { behaviours = [], identities = 0, goal, registers, budget } = own ?? {};
    const need = own?.plan === undefined ? null : planNeedOf(model, own.plan);
    const path = `adversaries.${name}`;
    if (need !== null)
      yield at(`${path}.plan`, `needs ${need}: write another plan, or leave it out`);
    const seconds = budget?.cpuSeconds ?? budget?.wallSeconds;
    if (budget?.hashes !== undefined && seconds !== undefined) {
      yield at(
        `${path}.budget`,
        'must be in hashes or in seconds, not in both, if there are epochs',
      );
    }
    if (behaviours.length > 0)
      yield at(`${path}.behaviours`, 'apply to elections, and epochs are drawn');
    if (identities > 0) yield at(`${path}.identities`, 'must be 0 if there are epochs');
    if (goal !== undefined && goal !== ALL_IDENTITIES) {
      const message =
        'must be all if there are epochs, or left out: every claim that counts is an advantage';
      yield at(`${path}.goal`, message);
    }
    if (registers !== undefined) {
      const message = 'must be left out if there are epochs, which have windows of registration';
      yield at(`${path}.registers`, message);
    }
  }
  if (epochs === undefined) return;
  const newcomers = (epochs.count - 1) * epochs.newcomers;
  const claims = epochs.count * (network.honest + newcomers);
  if (claims > EPOCH_CLAIMS_MAX) {
    const message = `must be lower: epochs times honest nodes, newcomers included, are at most ${EPOCH_CLAIMS_MAX}, and here ${claims}`;
    const [most, greatest] =
      newcomers > network.honest
        ? (['epochs.newcomers', epochs.newcomers] as const)
        : (['network.honest', network.honest] as const);
    yield at(epochs.count > greatest ? 'epochs.count' : most, message);
  }
}

function* captureContradictions(model: ThreatModel): Generator<Contradiction> {
  const { network, adversaries, work } = model;
  const because = 'because all ranks of a run are examined';
  if (network.honest > CAPTURED_MAX) {
    yield at('network.honest', `must be at most ${CAPTURED_MAX}, ${because}`);
  }
  for (const [name, adversary] of Object.entries(adversaries)) {
    const { goal, behaviours } = responseOf(adversary);
    const wish = parseWish(goal);
    if (wish?.type === 'count' && wish.identities > CAPTURED_MAX && work === 'sampled') {
      yield at(`adversaries.${name}.goal`, `must be at most count:${CAPTURED_MAX}, ${because}`);
    }
    if (behaviours.length > 0) {
      const message = 'apply to elections, and the expected property is about identities only';
      yield at(`adversaries.${name}.behaviours`, message);
    }
  }
}
