/**
 * @module
 * Wrong values in files of the user, which Node runs without a check of their types: refused with what is
 * allowed instead.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

import { ended, ROOT, refusalsOf, rowsOf, scratchFolder, spawnUsurp } from './shell.ts';

/** The path of a skeleton in which `from` is replaced by `to`. */
function skeletonWith(kind: string, from: string, to: string): string {
  const text = readFileSync(join(ROOT, `examples/definitions/example-${kind}.ts`), 'utf8');
  if (!text.includes(from)) throw new RangeError(`"from" expected a part of the file, got ${from}`);
  const path = join(scratchFolder(), 'own.ts');
  writeFileSync(path, text.replace(from, to));
  return path;
}

/** A kind, a part of its skeleton, what stands there instead, and the refusal. */
const WRONG: readonly (readonly [string, string, string, RegExp])[] = [
  ['behaviour', "aim: 'stop'", "aim: 'win'", /"aim" must be one of lead, .*, got "win"/],
  ['behaviour', 'needsTopId: false', "needsTopId: 'no'", /"needsTopId" must be true or false/],
  ['behaviour', "name: 'example-behaviour',", '', /"name" is missing/],
  ['property', 'top: null', 'top: true', /"judges.top" must be a function or null/],
  ['property', "reads: 'leaders'", "reads: 'past'", /"worlds.reads" must be one of leaders, every/],
  ['property', "kind: 'always'", "kind: 'never'", /"worlds.kind" must be one of always, .*"never"/],
  ['property', 'holds: ({', 'held: ({', /"worlds.holds" must be a function of a world/],
  ['protocol', "family: 'ring'", "family: 'Z 9'", /"family" must be bully, .*, got "Z 9"/],
  ['protocol', 'successors: 1', 'successors: -3', /"successors" must be an integer .*, got -3/],
  [
    'protocol',
    'messagesAbout: (nodes) => nodes * (Math.log(nodes) + 2)',
    'messagesAbout: () => NaN',
    /"messagesAbout" must give a number .* for 2 nodes, got NaN/,
  ],
  [
    'protocol',
    'laps: () => 1',
    "laps: () => 'one'",
    /"tokens.laps" must give a number .* for 2 nodes, got "one"/,
  ],
  ['protocol', 'laps: () => 1, ', '', /"tokens.laps" must give .*, got undefined/],
  [
    'protocol',
    'isReplaced: false',
    "isReplaced: 'no'",
    /"tokens.isReplaced" must be true or false, got "no"/,
  ],
  ['protocol', 'unowed: null', 'unowed: 5', /"tokens.unowed" must be a sentence or null, got 5/],
  [
    'protocol',
    "route: 'successor'",
    "route: 'post'",
    /"forgery.route" must be one of each-node, successor, got "post"/,
  ],
  [
    'protocol',
    "drop: stop('The rank of the highest node is sent once.')",
    'drop: 5',
    /"faults.drop.expected" must be one of ok, /,
  ],
  [
    'protocol',
    "statementOf: 'sender'",
    "statementOf: 'relay'",
    /"messages.PROBE.statementOf" must be one of sender, candidate, got "relay"/,
  ],
  [
    'protocol',
    "members: { candidate: 'rank' }",
    "members: { candidate: 'rnak' }",
    /"messages.PROBE.members.candidate" must be one of rank, .*, got "rnak"/,
  ],
  [
    'protocol',
    "candidates: ['candidate']",
    "candidates: ['bogus']",
    /"messages.PROBE.candidates" names no member of PROBE: bogus/,
  ],
  [
    'protocol',
    "identifiedBy: ['candidate']",
    "identifiedBy: ['bogus']",
    /"messages.PROBE.token.identifiedBy" names no member of PROBE: bogus/,
  ],
  [
    'protocol',
    "endsAt: 'candidate'",
    "endsAt: 'bogus'",
    /"messages.PROBE.token.endsAt" names no member of PROBE: bogus/,
  ],
  [
    'protocol',
    'claim: null',
    "claim: { within: ['bogus'], states: null, where: {} }",
    /"messages.PROBE.claim.within" names no member of PROBE: bogus/,
  ],
  [
    'protocol',
    "{ candidate: 'highest-rank' }",
    "{ bogus: 'highest-rank' }",
    /"messages.PROBE.alterations" names no member of PROBE: bogus/,
  ],
  [
    'protocol',
    "{ candidate: 'highest-rank' }",
    "{ candidate: 'highest' }",
    /"messages.PROBE.alterations.candidate" must be one of highest-rank, .*, got "highest"/,
  ],
];

describe('a definition with a wrong value', () => {
  let refusals: readonly (string | null)[];
  beforeAll(async () => {
    refusals = await refusalsOf(WRONG.map(([kind, from, to]) => skeletonWith(kind, from, to)));
  });

  it.each(WRONG.map((row, index) => [...row, index] as const))(
    'is refused with its line: %s with %s as %s',
    (_kind, _from, _to, expected, index) => {
      expect(refusals[index]).toMatch(/own\.ts:\d+:\d+: "/);
      expect(refusals[index]).toMatch(expected);
    },
  );

  it('ends the command with the refusal and its exit code', async () => {
    const [[kind, from, to, expected] = []] = WRONG;
    const path = skeletonWith(kind ?? '', from ?? '', to ?? '');

    const { code, stderr } = await ended(spawnUsurp(['elect', '--load', path]));

    expect(code).toBe(254);
    expect(stderr).toMatch(expected ?? /^$/);
  });

  it('is refused with the line of a syntax error', async () => {
    const path = skeletonWith('property', 'judges: {', '{');

    const { code, stderr } = await ended(spawnUsurp(['elect', '--load', path]));

    expect(code).toBe(254);
    expect(stderr).toMatch(/own\.ts:\d+: Unexpected/);
  });
});

describe('a behaviour that returns no machine', () => {
  it('is refused, because its node would be honest', async () => {
    const path = skeletonWith(
      'behaviour',
      '=>\n    createByzantine',
      '=>\n    void createByzantine',
    );
    const attack = ['attack', 'cr-join', '--behaviours', 'example-behaviour'];

    const { code, stderr } = await ended(
      spawnUsurp([...attack, '--level', 'L0', '--load', path, '--seed', '1']),
    );

    expect(code).toBe(254);
    expect(stderr).toContain('behaviour example-behaviour: "wrap" must return a machine');
  });
});

describe('a protocol whose messages are signed', () => {
  it('is attacked, although signatures draw random numbers while its handlers run', async () => {
    const path = skeletonWith('protocol', "family: 'ring'", "family: 'own'");
    const attack = [
      'attack',
      'example-protocol',
      '--behaviours',
      'swallow',
      '--level',
      'L2',
      '--quiet',
    ];

    const { code, stderr } = await ended(spawnUsurp([...attack, '--load', path, '--seed', '1']));

    expect([code, stderr]).toEqual([1, '']);
  });
});

describe('a judge', () => {
  it.each([
    [
      'reads a member that the evidence lacks',
      'watched: ({ leader, isUsurped }) => leader !== null && !isUsurped',
      'watched: (seen) => Reflect.get(seen, "leaderSwaps") > 2',
      /judges\.watched reads "leaderSwaps"; the evidence has .*splitTicks/,
    ],
    [
      'returns no boolean',
      'leader !== null && !isUsurped',
      "'often'",
      /judges\.watched must return true or false, got "often"/,
    ],
  ])('is refused if it %s', async (_case, from, to, expected) => {
    const path = skeletonWith('property', from, to);
    const run = ['run', 'flapping-leader', '--runs', '1', '--seed', '1'];

    const { code, stderr } = await ended(
      spawnUsurp([...run, '--load', path, '--set', 'expect.property=example-property']),
    );

    expect(code).toBe(254);
    expect(stderr).toMatch(expected);
  });
});

describe('usurp conform', () => {
  it.each([
    [
      'candidates are left out',
      "candidates: ['leader']",
      'candidates: []',
      /FAILS +lists the members that name a candidate: "messages.LEADER.candidates" lacks leader/,
    ],
    [
      'machine reads the date',
      'step.state.leader = null;',
      'step.state.leader = null;\n          Object.assign(step.state, { seen: new Date().toISOString() });',
      /calls Date;/,
    ],
    [
      'machine reads the time of the process',
      'step.state.leader = null;',
      'step.state.leader = null;\n          Object.assign(step.state, { seen: process.hrtime().length });',
      /calls process\.hrtime;/,
    ],
    [
      'machine draws an identifier',
      'step.state.leader = null;',
      'step.state.leader = null;\n          Object.assign(step.state, { seen: crypto.randomUUID().length });',
      /calls crypto\.randomUUID;/,
    ],
    [
      'messages have a member that is not listed',
      "{ type: 'LEADER', leader: self.rank });",
      "{ type: 'LEADER', leader: self.rank, ...{ extra: 1 } });",
      /FAILS +sends only messages .* whose member extra its definition does not list/,
    ],
    [
      'messages have a member that JSON cannot hold',
      "{ type: 'LEADER', leader: self.rank });",
      "{ type: 'LEADER', leader: self.rank, ...{ extra: NaN } });",
      /FAILS .* sends { type: 'LEADER', leader: \d, extra: NaN }, of which JSON cannot hold value\.extra/,
    ],
  ])('rejects a protocol whose %s', async (_case, from, to, expected) => {
    const path = skeletonWith('protocol', from, to);

    const { code, stdout } = await ended(spawnUsurp(['conform', path]));

    expect(rowsOf(stdout)).toMatch(expected);
    expect(code).toBe(1);
  });
});
