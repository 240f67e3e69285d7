/**
 * @module
 * What the members of a threat model must say together, beyond what each must be alone: work that can
 * be done, budgets that sampled work can turn into attempts, a latency that the simulator knows.
 * Each refusal names the limit or the member that would repair it.
 */

import type { Wish } from '../../adversary/goals.ts';
import { parseWish } from '../../adversary/goals.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { nodeIdBytesOf } from '../../identity/ids/node-id.ts';
import { policyUnsupportedReasons } from '../../identity/policy.ts';
import { puzzleHashes } from '../../identity/puzzles/puzzle-function.ts';
import { goalIdBytes } from '../../mining/goal.ts';
import { realBits, requiredBits } from '../../mining/policy-cost.ts';
import { parseLatency } from '../../simulation/faults/latency.ts';
import { MESSAGES_LIMIT } from '../../simulation/plan/plan.ts';
import { HONEST_ELECTED_MAX, HONEST_WORK_MAX } from '../document/limits.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { isRankingAlone, kindContradictions } from './consistency-kinds.ts';
import type { Contradiction } from './stage-faults.ts';

/** What contradicts itself in a model whose members are each valid. */
export function contradictions(parts: ThreatModel): readonly Contradiction[] {
  return [
    ...identityContradictions(parts),
    ...electionContradictions(parts),
    ...kindContradictions(parts),
    ...(parts.work === 'mined' ? minedContradictions(parts) : sampledContradictions(parts)),
    ...Object.keys(parts.adversaries)
      .sort()
      .flatMap((name) => strategyContradictions(name, parts)),
  ];
}

function strategyContradictions(name: string, parts: ThreatModel): readonly Contradiction[] {
  const { adversaries, network, work } = parts;
  const adversary = adversaries[name];
  if (adversary === undefined) return [];
  const { strategy, dynamicStrategy, stockpile, goal } = adversary;
  const at = (member: string, message: string): Contradiction => ({
    path: ['adversaries', name, member],
    message,
  });
  const found: Contradiction[] = [];
  if (strategy === 'stockpile' && stockpile === undefined) {
    found.push(
      at('strategy', 'needs stockpile beside it: the number of keys made before, such as 65536'),
    );
  }
  if (strategy !== 'stockpile' && stockpile !== undefined && parts.epochs === undefined) {
    found.push(
      at(
        'stockpile',
        'is for strategy: stockpile, and for epochs: leave it out, or set it to null',
      ),
    );
  }
  const wish = parseWish(goal);
  if (work === 'sampled' && !isDrawable(wish, parts)) {
    const drawn = isRankingAlone(parts) ? 'top' : 'top, any or count:<k>';
    found.push(
      at(
        'goal',
        `must be ${drawn} under work: sampled, which draws nothing else; or write work: mined`,
      ),
    );
  }
  const bytes = wish === null || wish.type === 'top' ? null : goalIdBytes(wish);
  const idBytes = nodeIdBytesOf(network.identity);
  if (bytes !== null && bytes !== idBytes) {
    found.push(at('goal', `is about IDs of ${bytes} bytes, those of this policy have ${idBytes}`));
  }
  if (strategy === 'stockpile' && work === 'sampled') {
    found.push(at('strategy', 'is not drawn by work: sampled; write work: mined'));
  }
  if (dynamicStrategy === 'amortised-xor' && network.identity.dynamic !== 'xor') {
    found.push(
      at('dynamicStrategy', 'breaks network.identity.dynamic: xor alone; or write dynamic'),
    );
  }
  return found;
}

/** Whether sampled work can draw what is wished for. */
function isDrawable(wish: Wish | null, parts: ThreatModel): boolean {
  if (wish === null || wish.type === 'top') return true;
  return !isRankingAlone(parts) && (wish.type === 'any' || wish.type === 'count');
}

function identityContradictions({ network: { identity } }: ThreatModel): readonly Contradiction[] {
  return policyUnsupportedReasons(identity, identity.scheme).map(({ path, message }) => ({
    path: ['network', 'identity', ...path],
    message,
  }));
}

function electionContradictions(parts: ThreatModel): readonly Contradiction[] {
  const { network } = parts;
  const { protocols, latency } = network.election;
  const found: Contradiction[] = [];
  if (new Set(protocols).size < protocols.length) {
    const path = ['network', 'election', 'protocols'];
    found.push({ path, message: 'must name each protocol once' });
  }
  // A leader is looked for at the top here: elsewhere work: sampled would draw the wrong law.
  const isAimed = isRankingAlone(parts) || parts.expect.property === 'highest-leads';
  const aimless = isAimed ? protocols.filter((name) => PROTOCOLS[name].elects === 'any') : [];
  for (const name of aimless) {
    const path = ['network', 'election', 'protocols'];
    const reason = 'where anybody may lead, and a threat model asks for the highest node ID';
    found.push({ path, message: `must not name ${name}, ${reason}` });
  }
  try {
    parseLatency(String(latency));
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const message = error.message.replace(/^latency /, '');
    found.push({ path: ['network', 'election', 'latency'], message });
  }
  return found;
}

function minedContradictions(parts: ThreatModel): readonly Contradiction[] {
  const { network } = parts;
  const found = isRankingAlone(parts)
    ? crowded(parts, 'mined work holds its elections in every run')
    : [];
  const { c1, c2 } = realBits(network.identity);
  const solved = (c1 > 0 ? 2 ** c1 : 1) + (c2 > 0 ? 2 ** c2 : 0);
  const expected = ordinaryOf(parts) * solved * puzzleHashes(network.identity.puzzle);
  if (expected <= HONEST_WORK_MAX) return found;
  const message =
    `asks the honest nodes for about ${expected.toExponential(1)} attempts a run, more than the ` +
    `limit of ${HONEST_WORK_MAX}: write work: sampled, or lower c1, c2 or network.honest`;
  return [...found, { path: ['network', 'identity'], message }];
}

function ordinaryOf({ network, adversaries }: ThreatModel): number {
  const theirs = Object.values(adversaries).map(({ identities }) => identities);
  return theirs.reduce((sum, count) => sum + count, network.honest);
}

function sampledContradictions(parts: ThreatModel): readonly Contradiction[] {
  const found = Object.keys(parts.adversaries)
    .sort()
    .flatMap((name) => budgetContradictions(name, parts));
  if (parts.expect.property !== 'highest-leads' || !isRankingAlone(parts)) return found;
  const reason = 'highest-leads is found out by an election in every run';
  return [...crowded(parts, reason), ...found];
}

function budgetContradictions(name: string, parts: ThreatModel): readonly Contradiction[] {
  const adversary = parts.adversaries[name];
  if (adversary === undefined) return [];
  const { budget, rate } = adversary;
  const timed = budget.cpuSeconds !== undefined || budget.wallSeconds !== undefined;
  if (timed && rate === undefined) {
    const message =
      'has a budget in seconds, which work: sampled turns into attempts by a rate: ' +
      'write rate: 3000 (candidates per second) or rate: measured';
    return [{ path: ['adversaries', name], message }];
  }
  const dynamic = requiredBits(parts.network.identity).c2 > 0;
  if (dynamic && (timed || budget.hashes !== undefined)) {
    const message =
      'must be in attempts alone: with a dynamic puzzle (c2 above 0) hashes and seconds ' +
      'also pay for solutions, which work: sampled does not draw; or write work: mined';
    return [{ path: ['adversaries', name, 'budget'], message }];
  }
  return [];
}

function crowded({ network, adversaries }: ThreatModel, reason: string): readonly Contradiction[] {
  const { honest, election } = network;
  const path = ['network', 'honest'];
  if (honest > HONEST_ELECTED_MAX) {
    const message = `must be at most ${HONEST_ELECTED_MAX}, since ${reason}`;
    return [{ path, message }];
  }
  const nodes = honest + Object.keys(adversaries).length;
  const dear = election.protocols.find(
    (name) => PROTOCOLS[name].messagesAbout(nodes) > MESSAGES_LIMIT,
  );
  if (dear === undefined) return [];
  const message = `must be lower for ${dear}, which would send over ${MESSAGES_LIMIT} messages, since ${reason}`;
  return [{ path, message }];
}
