/**
 * @module
 * Elections with nodes from outside, on which random actions are carried out at any moment, often before the
 * last one is over. Repeating the actions gives the same result. The slow suite tries many more.
 */

import { expect, it } from 'vitest';

import type { LiveElection } from '../../../../server/elections/live/live-election.ts';
import { replayed } from '../../../../server/elections/live/live-election.ts';
import { EPHEMERAL_LOG } from '../../../../server/elections/storage/log.ts';
import { ElectionStore } from '../../../../server/elections/storage/store.ts';
import { SERVER } from '../../../../server/request/principal.ts';
import type { Random } from '../../../../src/random.ts';
import { createRandom, parseSeed } from '../../../../src/random.ts';
import { labUnderTest } from '../../lab-under-test.ts';
import { storedElection } from '../../store/store-files.ts';
import type { Received } from '../outside-player.ts';
import { OutsidePlayer } from '../outside-player.ts';

const RUNS = Number(process.env.OUTSIDE_RUNS ?? 2);
const STEPS = 25;
const LEVELS = ['L0', 'L1', 'L2', 'L3'];
const PROTOCOLS = ['bully-oneshot', 'cr-join', 'raft', 'ring-lelann', 'zab-fle', 'hs-wake'];
const WAIT_MS = 10;

const lab = labUnderTest();

interface Scene {
  readonly election: string;
  readonly players: OutsidePlayer[];
  readonly random: Random;
}

/** Carries out one random action and returns the status of its answer. */
async function disturb({ election, players, random }: Scene): Promise<number> {
  const player = players[random.below(players.length)];
  if (player === undefined) throw new RangeError('"players" expected one at least');
  const act = async (action: object) =>
    (await lab.post(`${election}/actions`, action, { 'Node-Token': player.token })).status;
  const answer = async (effects: object[]) => {
    const events = (await player.inbox()).json.events as readonly Received[]; // By the schema.
    return (await player.outbox({ through: events.at(-1)?.number, effects })).status;
  };
  const rank = 1 + random.below(5);
  const message = { type: 'COORDINATOR', leader: rank };
  switch (random.below(9)) {
    case 0:
      return act({ type: 'advance', events: 1 + random.below(9), waits: random.below(2) === 0 });
    case 1:
      return act({ type: 'advance', until: 'idle', events: 300 });
    case 2:
      return act({ type: 'inject', from: rank, to: 'all', message });
    case 3:
      return act({ type: 'crash', rank });
    case 4:
      return act({ type: 'recover', rank });
    case 5:
      return answer([
        player.send(rank, { type: 'OK' }),
        { type: 'set-timer', timer: 'own', ticks: random.below(5) },
      ]);
    case 6:
      return answer([{ type: 'elect', leader: rank, epoch: random.below(3) }]);
    case 7:
      return (await lab.post(`${election}/fork`, {})).status;
    default:
      return join(election, players);
  }
}

/** Joins at the lowest rank that is left. */
async function join(election: string, players: OutsidePlayer[]): Promise<number> {
  const options = { lab, election, waitMs: WAIT_MS, side: 'below' } as const;
  const player = await OutsidePlayer.join(options).catch(() => null);
  if (player !== null) players.push(player);
  return player === null ? 409 : 201;
}

/** The election after a restart. */
async function restarted({ id, history }: LiveElection): Promise<LiveElection> {
  const stored = storedElection(id, JSON.parse(JSON.stringify(history)));
  const store = new ElectionStore({ ...EPHEMERAL_LOG, read: () => [stored] });
  store.open();
  await store.restoreAll();
  return store.get(id, SERVER);
}

it.each(Array.from({ length: RUNS }, (_, run) => run))(
  'the actions of run %i give the same result again',
  async (run) => {
    const random = createRandom(parseSeed(String(run)), 'interleaving');
    const body = { nodes: 3, seed: String(run), latency: 'uniform:1:5', newcomers: run % 2 };
    const [level, protocol] = [LEVELS[run % 4], PROTOCOLS[run % 6]];
    const made = await lab.post('/v1/elections', { ...body, level, protocol });
    const election = String(made.headers.get('Location'));
    const players = [await OutsidePlayer.join({ lab, election, waitMs: WAIT_MS })];
    await lab.post(`${election}/actions`, { type: 'start' });
    const pending: Promise<number>[] = [];

    for (let step = 0; step < STEPS; step += 1) {
      const disturbing = disturb({ election, players, random });
      pending.push(disturbing);
      if (random.below(3) > 0) await disturbing;
    }
    const statuses = await Promise.all(pending);

    expect(Math.max(...statuses)).toBeLessThan(500);
    expect(lab.faults).toEqual([]);
    const live = lab.elections.get(String(made.json.id), SERVER);
    const again = await restarted(live);
    const replay = await replayed(live.history, 100_000, SERVER);
    expect(again.status()).toEqual(live.status());
    expect(again.history.actions).toEqual(JSON.parse(JSON.stringify(live.history.actions)));
    expect(replay.status()).toEqual(live.status());
    for (const { nodeId } of players) {
      const rank = live.stage.roster.nodeWithId(nodeId)?.rank ?? 0;
      expect(again.stage.simulation.inbox(rank)).toEqual(live.stage.simulation.inbox(rank));
      expect(replay.inbox(rank)).toEqual(live.stage.simulation.inbox(rank));
    }
    expect(live.listeners).toBe(0);
  },
);
