/**
 * @module
 * The contract with live processes. One cluster plays several scenarios, one after the other: at the end of each all nodes
 * are up, awake and in reach again, which is where the next one starts. Afterwards the model must take every step.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from '../../../src/live/cluster/cluster.ts';
import { STORE_NUMBER } from '../../../src/live/cluster/cluster.ts';
import { newIdentities } from '../../../src/live/cluster/cluster-files.ts';
import type { ClusterSession } from '../../../src/live/cluster/cluster-session.ts';
import { startCluster } from '../../../src/live/cluster/cluster-session.ts';
import { rankOf } from '../../../src/live/peers.ts';
import { parseSeed } from '../../../src/random.ts';
import type { Act, Agreed, Stage } from './driver.ts';
import { impossibleReason, playedOn } from './driver.ts';
import { FORGED_NAME, forgedMessages } from './forged.ts';
import type { ContractProtocol, Disturbance, Scenario } from './scenarios.ts';
import { NODES } from './scenarios.ts';

const LATENCY_MS = 60;
const REST_MS_MAX = 40_000;
/** An agreement must last for this time. */
const SETTLED_MS = 5 * LATENCY_MS;
/** Without an agreement by then there is none: longer than detection and an election. */
const NONE_MS = 40 * LATENCY_MS;
const never = new AbortController().signal;

/** Plays the scenarios on as few clusters as possible. Returns what is not as expected. */
export async function playedLive(
  scenarios: readonly Scenario[],
  protocol: ContractProtocol,
): Promise<readonly string[]> {
  const possible = scenarios.filter(
    (scenario) => impossibleReason(scenario, protocol, 'live') === null,
  );
  const joins = (scenario: Scenario) => has(scenario, ({ type }) => type === 'join');
  const shared = possible.filter((each) => !needsNewCluster(each));
  // A node that has joined stays.
  const onOne = shared.toSorted((one, other) => Number(joins(one)) - Number(joins(other)));
  const clusters = [onOne, ...possible.filter(needsNewCluster).map((each) => [each])];
  const faults: string[] = [];
  for (const group of clusters) {
    if (group.length > 0) faults.push(...(await playedOnOne(group, protocol)));
  }
  return faults;
}

/**
 * Whether not all nodes start, or one forgets everything: at L3 it would be refused if it had returned before, because its
 * messages would have the numbers of that return.
 */
function needsNewCluster(scenario: Scenario): boolean {
  const forgets = has(scenario, (each) => each.type === 'return' && each.amnesia);
  return forgets || scenario.starts.length < NODES;
}

function has({ steps }: Scenario, isIt: (disturbance: Disturbance) => boolean): boolean {
  return steps.some(({ disturbances }) => disturbances.some(isIt));
}

async function playedOnOne(
  scenarios: readonly Scenario[],
  protocol: ContractProtocol,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const session = await startCluster(
    {
      ...{ protocol, nodes: NODES, level: 'L3', detector: 'fd-phi-akka', defences: [] },
      ...{ timing: { latencyTicksMax: LATENCY_MS }, c1: 0, c2: 0, tls: false },
      store: protocol === 'db-lease' ? 'sqlite' : null,
    },
    {
      ...{ folder: null, threads: 1, signal: never, onRecord: () => undefined },
      onFault: (node, text) => faults.push(`node ${node} has ended: ${text}`),
    },
  );
  const stage = new LiveStage(session, protocol);
  try {
    for (const scenario of scenarios) {
      for (const node of stage.absentIn(scenario)) await stage.act({ type: 'kill', node });
      const found = await playedOn(stage, { noticesSilence: true }, scenario, protocol);
      faults.push(...found.map((each) => `${scenario.name}: ${each}`));
      await stage.restore();
    }
    await session.cluster.down();
    const { replayed, clash } = session.check();
    if (replayed.defect !== null) faults.push(`the model: ${JSON.stringify(replayed.defect)}`);
    if (clash !== null) faults.push(`two leaders: ${JSON.stringify(clash)}`);
    return faults;
  } finally {
    await session.close();
  }
}

class LiveStage implements Stage {
  readonly #session: ClusterSession;
  readonly #cluster: Cluster;
  readonly #protocol: ContractProtocol;
  readonly #down = new Set<number>();
  #isCut = false;

  constructor(session: ClusterSession, protocol: ContractProtocol) {
    this.#session = session;
    this.#cluster = session.cluster;
    this.#protocol = protocol;
  }

  absentIn({ starts }: Scenario): readonly number[] {
    return this.#cluster
      .nodes()
      .slice(0, NODES)
      .filter((node) => !starts.includes(node));
  }

  async act(act: Act): Promise<void> {
    const cluster = this.#cluster;
    switch (act.type) {
      case 'kill':
        this.#down.add(act.node);
        await cluster.kill(act.node);
        break;
      case 'return':
        this.#down.delete(act.node);
        cluster.start(act.node, act.amnesia);
        break;
      case 'pause':
      case 'resume':
        cluster[act.type](act.node);
        break;
      case 'isolate': {
        const others = cluster.nodes().filter((node) => node !== act.node);
        const store = this.#session.settings.store ? [STORE_NUMBER] : [];
        cluster.partition([[act.node], [...others, ...store]]);
        this.#isCut = true;
        break;
      }
      case 'heal':
        cluster.heal();
        this.#isCut = false;
        break;
      case 'duplicate':
        cluster.chance('duplicate', { share: 1, seed: parseSeed('1') });
        break;
      case 'join':
        await this.#join();
        break;
      case 'forge':
        await this.#forge();
        break;
      default:
        act satisfies never;
    }
  }

  /** Brings all nodes back, for the next scenario. */
  async restore(): Promise<void> {
    this.#cluster.chance('duplicate', { share: 0, seed: parseSeed('1') });
    if (this.#isCut) await this.act({ type: 'heal' });
    for (const node of this.#down) await this.act({ type: 'return', node, amnesia: false });
  }

  async rest(inReach: readonly number[], isLed: boolean) {
    const deadline = Date.now() + (isLed ? REST_MS_MAX : NONE_MS);
    for (;;) {
      const before = this.#agreed(inReach);
      await delay(SETTLED_MS);
      const after = this.#agreed(inReach);
      if (isLed && after !== null && isDeepStrictEqual(before, after)) return [after];
      if (Date.now() > deadline) return [after];
    }
  }

  async close(): Promise<void> {}

  #agreed(inReach: readonly number[]): Agreed | null {
    const agreement = this.#cluster.agreement();
    if (agreement === null || !isDeepStrictEqual(agreement.nodes, inReach)) return null;
    const { leader, epoch } = agreement;
    return { leader, epoch };
  }

  /** A node above all others. */
  async #join(): Promise<void> {
    const { founders, policy, options } = this.#session;
    const highest = founders.peers.at(-1)?.rank ?? '';
    for (;;) {
      const [identity] = await newIdentities(1, policy, options);
      if (identity === undefined || rankOf(identity.claim, policy) < highest) continue;
      await this.#session.join(identity);
      return;
    }
  }

  /** Every node refuses it. */
  async #forge(): Promise<void> {
    const { peers } = this.#session.founders;
    const by = peers[FORGED_NAME - 1]?.rank;
    if (by === undefined) throw new RangeError('"peers" expected the forged name');
    for (const message of forgedMessages(this.#protocol, by)) {
      const body = JSON.stringify({ from: by, message, stamp: null });
      const headers = { 'content-type': 'application/json' };
      for (const { url, rank } of peers) {
        if (rank === by) continue;
        const { status } = await fetch(`${url}/messages`, { method: 'POST', headers, body });
        if (status !== 403) throw new RangeError(`"status" expected 403, got ${status}`);
      }
    }
  }
}
