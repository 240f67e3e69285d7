/**
 * @module
 * The clients of a live cluster, whose nodes are played here: what their history shows of registers that behave and of
 * those that do not.
 */

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Content } from '../../../src/election/client-operations.ts';
import { askedIn, operated } from '../../../src/election/client-operations.ts';
import type { Message } from '../../../src/election/machine.ts';
import { parseNodeCommand } from '../../../src/live/cluster/control.ts';
import { LiveClients } from '../../../src/live/cluster/live-clients.ts';

const LIVE = { protocol: 'db-lease', timing: { latencyTicksMax: 1 }, defences: [] } as const;
const RESOURCE = { resource: 'unfenced', everyTicks: null } as const;
const NODES = [1, 2, 3];

type Played = (node: number, question: Message) => Message | 'silent' | 'down';

const running: LiveClients[] = [];
afterEach(() => {
  for (const clients of running.splice(0)) clients.end();
});

/** Clients of three nodes that are played like this. Those of nodes that follow a leader ask. */
function clientsOf(play: Played, isBack = false, following = NODES): LiveClients {
  const about = { isBack, clock: () => performance.now() };
  const form = { count: 3, reads: 'leader', patienceTicks: 20, everyTicks: null } as const;
  const live = { ...LIVE, workload: RESOURCE };
  const clients: LiveClients = new LiveClients(form, live, about, () => ({
    nodes: () => NODES,
    numberOf: (rank) => (rank === 'abc' ? 1 : null),
    ask(node, question) {
      const answer = play(node, question);
      if (typeof answer === 'object') setImmediate(() => clients.receive(node, answer));
      return answer !== 'down';
    },
  }));
  running.push(clients);
  for (const node of following) clients.receive(node, { type: 'FOLLOWS' });
  return clients;
}

/** A register that answers at once. */
function register(content: Content = null): (question: Message) => Message {
  return (question) => {
    const asked = askedIn(question);
    if (asked === null) throw new TypeError('this is no question');
    const { client, serial, input } = asked;
    const done = operated(content, input);
    ({ content } = done);
    return { type: 'ANSWER', ...{ client, serial, output: done.output } };
  };
}

async function judgedAfter(operations: number, clients: LiveClients) {
  await vi.waitFor(() => expect(clients.judged().operations).toBeGreaterThan(operations), 5_000);
  return clients.judged();
}

describe('clients of a live cluster', () => {
  it('find one register linearizable', async () => {
    const one = register();

    const judged = await judgedAfter(
      60,
      clientsOf((_, question) => one(question)),
    );

    expect(judged).toMatchObject({ form: '3:patience=20', linearizable: 'true' });
    expect(judged.unknown).toBeLessThan(judged.operations);
  });

  it('show why two registers are not', async () => {
    const registers = [register(), register(), register()];

    const judged = await judgedAfter(
      60,
      clientsOf((node, question) => registers[node === 2 ? 1 : 0]?.(question) ?? 'silent'),
    );

    expect(judged.linearizable).toBe('false');
    expect(judged.violation?.operations.length).toBeGreaterThan(0);
    expect(judged.violation?.operations.length).toBeLessThan(8);
  });

  it('follow the leader that a node names by its rank', async () => {
    const one = register();
    const redirected = (question: Message) => ({ ...question, type: 'REDIRECT', leader: 'abc' });

    const judged = await judgedAfter(
      30,
      clientsOf((node, question) => (node === 1 ? one(question) : redirected(question))),
    );

    expect(judged.linearizable).toBe('true');
  });

  it('count no operation of a node that is down, and no outcome of one that is silent', async () => {
    const one = register();
    const play: Played = (node, question) =>
      node === 1 ? 'down' : node === 2 ? 'silent' : one(question);

    const judged = await judgedAfter(30, clientsOf(play));

    expect(judged.unknown).toBeGreaterThan(0);
    expect(judged.unknown).toBeLessThan(judged.operations / 2);
    expect(judged.linearizable).toBe('true');
  });

  it('can find anything at first if the cluster was up before', async () => {
    const [old, fresh] = [register(77), register(77)];

    // Client 1, which asks node 2 first, begins with a read.
    const back = await judgedAfter(
      5,
      clientsOf((_, question) => old(question), true, [2]),
    );
    const first = await judgedAfter(
      5,
      clientsOf((_, question) => fresh(question), false, [2]),
    );

    expect(back.linearizable).toBe('true');
    expect(first.linearizable).toBe('false');
  });

  it('ask by a command that is a question and nothing else', () => {
    const ask = { type: 'ASK', client: 0, serial: 1, input: { type: 'read' } };

    expect(parseNodeCommand(JSON.stringify({ ask }))).toEqual({ ask });
    expect(() => parseNodeCommand(JSON.stringify({ ask: { ...ask, type: 'GRANTED' } }))).toThrow();
  });
});
