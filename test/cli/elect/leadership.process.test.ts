/**
 * @module
 * What `usurp elect` says of how an election was led: the audit, what detection was worth, and what
 * became of the writes of leaders; of one election, of many, and of one that was saved.
 */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { argumentsOf, parsed, scratchFolder, usurp } from '../shell.ts';

const elect = (...args: readonly string[]) => usurp(['elect', '--seed', '1', ...args]);
const BULLY = ['bully-oneshot', '--nodes', '5'];
/** The holder of the lease sleeps through its end, and writes when it wakes. */
const ZOMBIE = ['db-lease', '--nodes', '3', '--pause', '1@100-300'];

describe('the audit', () => {
  it('has measures and a trail that agree', async () => {
    const args = ['raft', '--nodes', '5', '--partition', 'isolate:1@60-400'];

    const { audit } = parsed(await elect(...args, '--json'));

    const { measures, trail, omitted } = audit;
    expect(omitted).toBe(0);
    expect(measures).toMatchObject({ reigns: 2, changes: 1, epochs: 2, leadersPerEpochMax: 1 });
    expect(trail.map(({ leads }: { leads: boolean }) => leads)).toEqual([true, true, false]);
    const [first, second, end] = trail;
    expect(measures.ticksWithoutLeader).toBe(first.at);
    expect(measures.ticksSplit).toBe(end.at - second.at);
    expect(end).toMatchObject({ node: first.node, epoch: first.epoch });
    expect(measures.stableFrom).toBeGreaterThanOrEqual(end.at);
  });

  it('is rows for people, before the replay', async () => {
    const { stdout } = await elect(...BULLY, '--crash', '5@20');

    expect(stdout).toMatch(/^no leader +\d+ of \d+ ticks\nsplit +0 ticks\nreigns +2; changes of/m);
    expect(stdout).toMatch(/^stable +from tick \d+$/m);
    expect(stdout.trim().split('\n').at(-1)).toMatch(/^replay /);
  });

  it('counts no epochs where elections have no number, and never calls a split stable', async () => {
    const args = [...BULLY, '--partition', 'halves', '--detector', 'links', '--until', '300'];

    const { stdout } = await elect(...args);

    expect(stdout).not.toMatch(/^epochs/m);
    expect(stdout).toMatch(/^stable +never$/m);
  });

  it('is kept for 10 000 nodes, and not for 10 001', async () => {
    const large = ['cr-join', '--initiators', 'highest', '--json', '--nodes'];

    const kept = parsed(await elect(...large, '10000'));
    const left = parsed(await elect(...large, '10001'));

    expect(kept.audit.measures.reigns).toBe(1);
    expect(left).toMatchObject({ agreed: true, leader: { rank: 10_001 } });
    expect(left).not.toHaveProperty('audit');
  });
});

describe('--detector', () => {
  it.each([
    ['fd-phi-akka:threshold=8', 'fd-phi-akka:threshold=8'],
    ['fd-heartbeat:adaptive=on,every=4', 'fd-heartbeat:every=4,adaptive'],
    ['fd-gossip', 'fd-gossip'],
    ['fd-oracle:class=eventually-S,node=5', 'fd-oracle:class=eventually-S,node=5'],
  ])('%s notices a crash and is reported as %s', async (form, reported) => {
    const args = [...BULLY, '--crash', '5@40', '--detector', form, '--json'];

    const answer = parsed(await elect(...args));

    expect(answer).toMatchObject({ agreed: true, leader: { rank: 4 }, detector: reported });
    expect(answer.detection).toMatchObject({ detections: { count: 4 }, missed: 0 });
    expect(answer.replay).toContain(` --detector ${reported} `);
  });

  it('costs messages, and is slower than one that observes from outside', async () => {
    const args = [...BULLY, '--crash', '5@40', '--json', '--detector'];

    const beside = parsed(await elect(...args, 'crashes'));
    const beating = parsed(await elect(...args, 'fd-heartbeat:timeout=30'));

    expect(beside).not.toHaveProperty('detector');
    expect(beside.detection).toMatchObject({ detections: { meanTicks: 3 }, messages: 0 });
    expect(beating.detection.detections.meanTicks).toBeGreaterThan(20);
    expect(beating.detection.messages).toBe(beating.messages.FD_HEARTBEAT);
  });

  it('replaces the detector of a file', async () => {
    const faults = JSON.stringify({ faults: [], detector: 'links' });
    const args = ['elect', ...BULLY, '--seed', '1', '--faults', '-', '--json'];

    const answer = parsed(await usurp([...args, '--detector', 'fd-gossip'], faults));

    expect(answer).toMatchObject({ detector: 'fd-gossip', faults: { faults: [], calm: null } });
    expect(answer.faults).not.toHaveProperty('detector');
  });

  it('is kept by --shrink, and by the command that repeats it', async () => {
    const drawn = [...BULLY, '--random-faults', '--detector', 'fd-heartbeat', '--json'];

    const shrunk = parsed(await elect(...drawn, '--shrink'));
    const again = parsed(await usurp([...argumentsOf(shrunk.replay), '--json']));

    expect(shrunk).toMatchObject({ detector: 'fd-heartbeat', shrunk: { faultsAfter: 1 } });
    const { shrunk: _how, ...rest } = shrunk;
    expect(again).toEqual(rest);
  });

  it('reports its mistakes', async () => {
    const args = [...BULLY, '--pause', '5@40-90', '--detector', 'fd-heartbeat'];

    const { stdout } = await elect(...args);

    expect(stdout).toMatch(/^mistakes +\d+, for [\d.]+ ticks on average, \d+ at most$/m);
    expect(stdout).toMatch(/^detecting +\d+ messages$/m);
  });

  it.each([
    ['gossip', 'crashes, links, fd-heartbeat'],
    ['fd-gossip:size=3', 'fd-gossip has every, fail'],
    ['fd-gossip:every=0', 'it must be a whole number'],
    ['fd-gossip:every=3,every=3', 'has every twice'],
    ['fd-oracle:node=6', '--detector: node=6 is none of 5 nodes'],
    [
      'fd-gossip:fail=9,cleanup=8',
      '--detector: "fd-gossip:fail=9,cleanup=8" has cleanup=8; it must',
    ],
  ])('refuses %s', async (form, complaint) => {
    const printed = await elect(...BULLY, '--detector', form);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain('--detector');
    expect(printed.stderr).toContain(complaint);
  });

  it('refuses more nodes than can watch each other, and names the flag', async () => {
    const ring = ['cr-join', '--detector', 'fd-gossip', '--nodes'];

    const printed = await elect(...ring, '513');

    expect(printed.code).toBe(254);
    expect(printed.stderr).toContain('--detector: fd-gossip takes at most 512 nodes, not 513');
  });
});

describe('--resource', () => {
  it('accepts the write of a leader that was paused past its lease, unless it has a fence', async () => {
    const unfenced = parsed(await elect(...ZOMBIE, '--resource', 'unfenced', '--json'));
    const fenced = parsed(await elect(...ZOMBIE, '--resource', 'fencing-max', '--json'));

    expect(unfenced.resource).toMatchObject({
      form: 'unfenced',
      refused: 0,
      staleWrites: 1,
      lateWrites: 1,
    });
    expect(fenced.resource).toMatchObject({
      form: 'fencing-max',
      refused: 1,
      staleWrites: 0,
      lateWrites: 0,
    });
    expect(fenced.audit.measures.ticksSplit).toBe(unfenced.audit.measures.ticksSplit);
  });

  it('is a row for people, and part of the replay', async () => {
    const args = [...ZOMBIE, '--resource', 'fencing-max:step=10,every=5'];

    const { stdout } = await elect(...args);

    const form = 'fencing-max:every=5,step=10';
    expect(stdout).toMatch(
      new RegExp(
        `^resource +${form}: accepted \\d+, stale writes 0, late writes 0; refused 1$`,
        'm',
      ),
    );
    expect(stdout).toMatch(new RegExp(`^replay .* --resource ${form} `, 'm'));
  });

  it('refuses epochs too far ahead of its own, and their writes', async () => {
    const fenced = parsed(await elect(...ZOMBIE, '--resource', 'fencing-max', '--json'));
    const steps = parsed(await elect(...ZOMBIE, '--resource', 'fencing-max:step=1', '--json'));

    expect(steps.resource.refused).toBeGreaterThan(fenced.resource.refused);
  });

  it.each(['fence', 'unfenced:every=0', 'fencing-max:step=0'])('refuses %s', async (form) => {
    const printed = await elect(...BULLY, '--resource', form);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain('--resource');
    expect(printed.stderr).toContain('fencing-register');
  });
});

describe('a saved run', () => {
  it('has the same leadership, detection and workload', async () => {
    const file = join(scratchFolder(), 'run.json');
    const args = [...ZOMBIE, '--detector', 'fd-phi-exp:cap=on', '--resource', 'unfenced:every=5'];
    const saved = parsed(await elect(...args, '--save', file, '--json'));

    const printed = await usurp(['replay', file, '--json']);

    const { audit, detector, detection, resource } = saved;
    expect(printed.code).toBe(0);
    expect(parsed(printed)).toMatchObject({ same: true, audit, detector, detection, resource });
  });
});

describe('--runs', () => {
  const runs = ['--random-faults', '--detector', 'fd-heartbeat', '--runs', '8'];
  const raft = ['raft', '--nodes', '5', '--resource', 'fencing-max', ...runs];

  it('sums up the single runs', async () => {
    const many = parsed(await elect(...raft, '--json'));
    const single = ['elect', ...raft.slice(0, -2), '--json', '--seed'];
    const all: ReturnType<typeof parsed>[] = [];
    for (const seed of ['1', '2', '3', '4', '5', '6', '7', '8']) {
      all.push(parsed(await usurp([...single, seed])));
    }

    const sum = (read: (one: (typeof all)[number]) => number) =>
      all.reduce((total, one) => total + read(one), 0);
    expect(many.distributions.ticksWithoutLeader.mean).toBe(
      sum(({ audit }) => audit.measures.ticksWithoutLeader) / 8,
    );
    expect(many.distributions.changes.mean).toBe(sum(({ audit }) => audit.measures.changes) / 8);
    expect(many.leadersPerEpochMax).toBe(1);
    const { n, never } = many.distributions.stableFrom;
    expect(n - never).toBe(sum(({ audit }) => Number(audit.measures.stableFrom !== null)));
    expect(many.resource).toEqual({
      form: 'fencing-max',
      accepted: sum(({ resource }) => resource.accepted),
      refused: sum(({ resource }) => resource.refused),
      staleWrites: 0,
      lateWrites: 0,
    });
    expect(many).toMatchObject({ detector: 'fd-heartbeat', detection: { missed: 0 } });
    const { detections, mistakes, messages } = many.detection;
    expect(messages).toBe(sum(({ detection }) => detection.messages));
    expect(mistakes.count).toBe(sum(({ detection }) => detection.mistakes.count));
    expect(detections.count * detections.meanTicks).toBeCloseTo(
      sum(({ detection: { detections: one } }) => one.count * (one.meanTicks ?? 0)),
    );
  });

  it('is a table of spreads and sums for people', async () => {
    const { stdout } = await elect(...raft);

    expect(stdout).toMatch(/^ticks without leader( +[\d.]+){6}\nticks split( +[\d.]+){6}\n/m);
    expect(stdout).toMatch(/^epochs +at most 1 led in one\ndetector +fd-heartbeat\ndetections /m);
    expect(stdout).toMatch(
      /^resource +fencing-max: accepted \d+, stale writes 0, late writes 0; refused \d+$/m,
    );
  });

  it('has only spreads if there is nothing else to report', async () => {
    const report = parsed(await elect(...BULLY, '--runs', '2', '--json'));

    expect(Object.keys(report).slice(-3)).toEqual(['seed', 'replay', 'leadersPerEpochMax']);
    expect(report.leadersPerEpochMax).toBeNull();
    expect(report.distributions.stableFrom).toMatchObject({ n: 2, never: 0 });
  });
});
