/**
 * @module
 * The level of the election decides which messages from outside are accepted: all at L0, those of the true
 * sender at L1, signed ones at L2, and signed fresh ones at L3. Every reader of a trace reports them.
 */

import { describe, expect, it } from 'vitest';

import type { HeldKey } from '../../../src/adversary/keys.ts';
import { realKeys } from '../../../src/adversary/keys.ts';
import type {
  Authentication,
  SealedMessage,
} from '../../../src/election/authentication/authenticated.ts';
import { candidacyText, messageText } from '../../../src/election/authentication/authenticated.ts';
import type { Message, Rank } from '../../../src/election/machine.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import { scalarSecret, schemeOf } from '../../../src/identity/keys/scheme.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { writtenTrace } from '../../../src/simulation/report/trace-formats.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { countLinks } from '../link-counts.ts';
import { SEED } from '../ring/rings.ts';
import { keysOfPlan } from './outside-player.ts';

const OPTIONS: SimulationOptions = {
  ...{ protocol: 'bully-oneshot', nodes: 4, seed: SEED, trace: true, ring: 'by-id' },
  level: 'L0',
};
const OTHERS = [1, 2, 3];

/** An election that 3 has won since the leader before it died. */
function afterTheLeader(options: Partial<SimulationOptions>): Simulation {
  const simulation = createSimulation({ ...OPTIONS, ...options });
  simulation.start();
  simulation.advance({ until: 'idle' });
  simulation.crash(4);
  simulation.advance({ until: 'idle' });
  expect(simulation.status()).toMatchObject({ leader: 3 });
  return simulation;
}

/** Sends each of these nodes the message that `make` makes for it, in the name of `node`. */
function say(simulation: Simulation, node: number, make: (to: number) => Message): void {
  simulation.inject(
    node,
    OTHERS.map((to) => ({ type: 'send', to, message: make(to) })),
  );
  simulation.advance({ until: 'idle' });
}

function leaders(simulation: Simulation): (number | null)[] {
  return simulation.nodes().map(({ leader }) => leader);
}

function refusals(simulation: Simulation, rank: number): unknown {
  return simulation.stateOf(rank);
}

/** A message of the highest node, signed as it would sign it. */
function signed(
  authentication: Authentication,
  body: Message,
  { to, number }: { readonly to: number; readonly number: number },
): SealedMessage {
  const by = toRank(4);
  const { sign } = authentication.keysOf(by);
  const signature = sign(messageText(authentication, { by, to: toRank(to), number, body }));
  const candidacies = { 4: sign(candidacyText(authentication, by)) };
  return { ...body, seal: { by, number, signature, candidacies } };
}

const COORDINATOR = { type: 'COORDINATOR', leader: 4 };
const FOR_ANOTHER = { type: 'COORDINATOR', leader: 3 };

describe('a word in the name of a dead leader', () => {
  it('is believed at L0', () => {
    const simulation = afterTheLeader({});

    say(simulation, 4, () => COORDINATOR);

    expect(leaders(simulation)).toEqual([4, 4, 4, null]);
  });

  it('is accepted at L0 from any claimed sender', () => {
    const simulation = afterTheLeader({});

    say(simulation, 1, () => ({ ...COORDINATOR, seal: { by: 4 } }));

    expect(leaders(simulation)).toEqual([4, 4, 4, null]);
  });

  it('is not sent at L1, and not believed of another', () => {
    const simulation = afterTheLeader({ level: 'L1', outside: [{ rank: 2, waits: false }] });

    expect(() => simulation.inject(4, [])).toThrow('at L1 the network knows its senders');
    say(simulation, 2, () => ({ ...COORDINATOR, seal: { by: 4 } }));

    expect(leaders(simulation)).toMatchObject([3, null, 3, null]);
    expect(refusals(simulation, 1)).toMatchObject({ refused: { sender: 1 } });
  });

  it.each(['L2', 'L3'] as const)('is refused at %s without its signature', (level) => {
    const simulation = afterTheLeader({ level });
    const wrong = { by: 4, number: 90, signature: 'ff', candidacies: {} };

    say(simulation, 4, () => COORDINATOR);
    say(simulation, 4, () => ({ ...COORDINATOR, seal: wrong }));

    expect(leaders(simulation)).toEqual([3, 3, 3, null]);
    for (const rank of OTHERS) {
      expect(refusals(simulation, rank)).toMatchObject({ refused: { malformed: 1, signature: 1 } });
    }
  });

  it('is believed with its signature, which at L3 counts once and in its election', () => {
    for (const level of ['L2', 'L3'] as const) {
      const simulation = afterTheLeader({ level, election: 'e_7' });
      const { plan } = simulation;
      const right: Authentication = {
        ...{ level, protocol: plan.protocol, election: simulation.electionName() },
        keysOf: keysOfPlan(plan),
      };

      say(simulation, 4, (to) =>
        signed({ ...right, election: 'e_6' }, COORDINATOR, { to, number: 90 }),
      );
      const elsewhere = leaders(simulation);
      say(simulation, 4, (to) => signed(right, COORDINATOR, { to, number: 91 }));
      const here = leaders(simulation);
      say(simulation, 4, (to) => signed(right, COORDINATOR, { to, number: 91 }));

      expect(elsewhere, level).toEqual(level === 'L2' ? [4, 4, 4, null] : [3, 3, 3, null]);
      expect(here, level).toEqual([4, 4, 4, null]);
      expect(refusals(simulation, 1), level).toMatchObject({
        refused: { replay: level === 'L2' ? 0 : 1, signature: level === 'L2' ? 0 : 1 },
      });
    }
  });
});

describe('a program with keys of its own', () => {
  it('wins with what it signs, and with nothing that it says twice or for another', () => {
    const held = new Map<Rank, HeldKey>(
      [1, 2, 3, 4].map((rank) => {
        const secret = scalarSecret('ed25519', BigInt(1000 + rank));
        const publicKey = schemeOf('ed25519').publicKeyOf(secret);
        return [toRank(rank), { scheme: 'ed25519', secret, publicKey }];
      }),
    );
    const keysOf = realKeys(held);
    const options = { ...OPTIONS, level: 'L3', openings: [4], election: 'e_7' } as const;
    const simulation = createSimulation(options, undefined, keysOf);
    const right = { ...options, keysOf };
    simulation.start();
    simulation.advance({ until: 'idle' });
    simulation.enter(4, { waits: false });

    say(simulation, 4, (to) => signed(right, FOR_ANOTHER, { to, number: 1 }));
    const forAnother = leaders(simulation);
    say(simulation, 4, (to) => signed(right, COORDINATOR, { to, number: 2 }));
    const itself = leaders(simulation);
    say(simulation, 4, (to) => signed(right, COORDINATOR, { to, number: 2 }));

    expect(forAnother).toEqual([3, 3, 3, null]);
    expect(itself).toEqual([4, 4, 4, null]);
    for (const rank of OTHERS) {
      expect(refusals(simulation, rank)).toMatchObject({ refused: { candidacy: 1, replay: 1 } });
    }
  });
});

describe('a word on a ring', () => {
  const ring = (level: 'L0' | 'L2') => {
    const simulation = createSimulation({ ...OPTIONS, protocol: 'cr-join', level, phantoms: [4] });
    simulation.start();
    simulation.advance({ until: 'idle' });
    expect(leaders(simulation)).toEqual([3, 3, 3, null]);
    const message = { type: 'SELECTED', leader: 4 };
    simulation.inject(3, [{ type: 'send', to: 1, message }]);
    // It goes round for ever: he who would take it off the ring exists nowhere.
    simulation.advance({ until: 'idle', events: 100 });
    return simulation;
  };

  it('of a leader that does not exist is forwarded by all at L0, and by no node that requires proof', () => {
    const [naive, asking] = [ring('L0'), ring('L2')];

    expect(leaders(naive)).toEqual([4, 4, 4, null]);
    expect(naive.status()).toMatchObject({ bound: 'events', inFlight: 1 });
    expect(leaders(asking)).toEqual([3, 3, 3, null]);
    expect(asking.status()).toMatchObject({ bound: 'idle', inFlight: 0 });
  });
});

describe('a trace', () => {
  const simulation = afterTheLeader({ outside: [{ rank: 2, waits: false }] });
  simulation.inject(2, [
    { type: 'set-timer', timer: 't', ticks: 3, periodic: false },
    { type: 'elect', leader: 2, epoch: 0 },
  ]);
  say(simulation, 4, () => COORDINATOR);
  const records = simulation.records();

  it('has what was done from outside and its effects', () => {
    const injected = records.filter(({ action }) => action.type === 'inject');

    expect(injected.map(({ action }) => 'node' in action && action.node)).toEqual([2, 4]);
    expect(injected[1]?.effects.map(({ type }) => type)).toEqual(['send', 'send', 'send']);
  });

  it('is told in every form', () => {
    const [svg, shiviz, text, lines] = (['svg', 'shiviz', 'txt', 'jsonl'] as const).map((form) =>
      writtenTrace(simulation, form),
    );

    expect(svg).toContain('node 4: acts from outside: COORDINATOR 4 to 1, 2, 3');
    expect(svg).toContain('>acts from outside<');
    expect(shiviz).toContain('acts from outside: sets t in 3; leads');
    expect(text).toMatch(/✕ +acts from outside: COORDINATOR 4 to 1, 2, 3/);
    expect(lines?.trim().split('\n')).toHaveLength(records.length + 1);
  });

  it('accounts for its messages', () => {
    const said = countLinks(records).filter(({ from }) => from === 4);

    expect(said.map(({ sent, delivered, dropped }) => sent - delivered - dropped)).toEqual(
      said.map(() => 0),
    );
  });
});
