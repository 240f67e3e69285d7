/**
 * @module
 * The cost of a design for honest nodes: to join at the needed difficulty, also under each defence of
 * registration, and the messages and the time of an election of the protocol, with what each defence of the
 * election adds. Elections are simulated among at most 64 nodes.
 */

import { z } from 'zod';

import type { Level } from '../../election/authentication/authenticated.ts';
import { LEVELS } from '../../election/authentication/authenticated.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { attemptOdds } from '../../mining/odds.ts';
import type { ElectionsLimit } from '../cost/election-cost.ts';
import { defenceCosts, ELECTION_NODES_MAX, electionCost } from '../cost/election-cost.ts';
import type { HonestCost, JoinCost } from '../cost/honest-cost.ts';
import { honestCostSchema, joinCostSchema } from '../cost/honest-cost.ts';
import { checkThreatModel } from '../reading/schema-faults.ts';
import { DESIGN_DEFENCES, defenceCharges } from './defences.ts';
import type { Design } from './design.ts';
import type { DesignRequest } from './request.ts';

/** The cost of a design for honest nodes. `joinUnder` has the cost of joining under each defence. */
export const designCostSchema = z.object({
  ...honestCostSchema.shape,
  joinUnder: z
    .array(
      z.object({
        defence: z.enum(DESIGN_DEFENCES),
        difficultyBits: z.int(),
        ...joinCostSchema.shape,
      }),
    )
    .readonly()
    .describe('The cost of joining under each defence, at the bits that it needs.'),
});

export type DesignCost = Readonly<z.output<typeof designCostSchema>>;

/** The costs of elections, which do not depend on the advantage. */
export type ElectionCosts = Pick<HonestCost, 'elections' | 'defences'>;

/** Limits of the measured elections, which then take some tenths of a second. */
const LIMIT: ElectionsLimit = { runs: 5, messages: 50_000 };

/** The part of a request that the costs of elections depend on. */
export type ElectionsAsked = Pick<DesignRequest, 'protocol' | 'nodes' | 'defences'>;

/** Throws LabError `arguments` if a defence of the election does not fit the protocol. */
export function assertDefencesFit({ protocol, defences }: ElectionsAsked): void {
  electionModel(protocol, 1, defences);
}

/**
 * Simulates elections among honest nodes. Throws LabError `arguments` if a defence of the election does not
 * fit the protocol.
 */
export function measureElections({ protocol, nodes, defences }: ElectionsAsked): ElectionCosts {
  const honest = Math.min(ELECTION_NODES_MAX, nodes);
  const model = electionModel(protocol, honest, defences);
  const elections = [{ ...electionCost(model, protocol, LIMIT), honest: nodes }];
  return { elections, defences: defenceCosts(model, LIMIT) };
}

/** The cost of a design. `measured` is that of its protocol, nodes and defences. */
export function designCost(design: Design, measured: ElectionCosts): DesignCost {
  const { request, needed, remedies } = design;
  return {
    join: joinAt(needed.wholeBits, request.rate, 'once'),
    ...measured,
    joinUnder: remedies.map(({ defence, needed: { wholeBits } }) => {
      const { rate, isRepeated } = defenceCharges(defence, request);
      const repeats = isRepeated ? 'every epoch' : 'once';
      const join = joinAt(wholeBits, rate, repeats);
      return { defence, difficultyBits: wholeBits, ...join };
    }),
  };
}

function joinAt(bits: number, candidatesPerSecond: number, repeats: JoinCost['repeats']): JoinCost {
  const { expected, p50, p95 } = attemptOdds(2 ** -bits);
  const seconds = (count: number) => count / candidatesPerSecond;
  return {
    attempts: { expected, p50, p95 },
    seconds: { expected: seconds(expected), p50: seconds(p50), p95: seconds(p95) },
    rate: { candidatesPerSecond, source: 'stated' },
    repeats,
  };
}

/** A model at the lowest level of authentication at which all defences work. */
function electionModel(protocol: ProtocolName, honest: number, defences: readonly string[]) {
  const checks = LEVELS.map((level) => checkedModel(protocol, honest, { defences, level }));
  const valid = checks.find((checked) => checked.outcome === 'valid') ?? checks.at(-1);
  if (valid?.outcome === 'valid') return valid.model;
  const detail = valid?.faults.map((fault) => fault.text).join('; ') ?? '';
  throw new LabError('arguments', detail, [{ pointer: '/defences', detail }]);
}

function checkedModel(
  protocol: ProtocolName,
  honest: number,
  election: { readonly defences: readonly string[]; readonly level: Level },
) {
  const prose = 'As requested from usurp design.';
  return checkThreatModel({
    id: 'design',
    title: 'The cost of a design',
    assumes: prose,
    can: prose,
    cannot: prose,
    wants: 'Nothing.',
    outcome: prose,
    work: 'sampled',
    network: { honest, identity: { c1: 0 }, election: { protocols: [protocol], ...election } },
    // Rules of registration apply only if identities are forged. No cost depends on them.
    adversaries: { main: { budget: { attempts: 1 }, behaviours: [] } },
    expect: { property: 'no-leader', comparison: 'at-most', probability: 0.5 },
  });
}
