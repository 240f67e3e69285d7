/**
 * @module
 * Mistakes that many callers make, and the answers that name the remedy: misspelt names, missing members, a
 * threat model in the place of a body, repeated parameters.
 */

import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';

import { labUnderTest } from '../lab-under-test.ts';

const { post, call } = labUnderTest();
const ELECTION = { protocol: 'cr-join', nodes: 3 };
const MODEL = {
  ...{ id: 'mine', title: 'Mine', assumes: 'Nothing.', can: 'Try keys.', cannot: 'Sleep.' },
  ...{ wants: 'A node ID above all.', outcome: 'It leads at times.', work: 'sampled' },
  network: { honest: 4, election: { protocols: ['cr-join'] } },
  adversaries: { main: { budget: { attempts: 64 } } },
  expect: { property: 'adversary-leads', comparison: 'at-most', probability: 0.5 },
};
const YAML = { 'Content-Type': 'application/yaml' };

describe('a body', () => {
  it.each<readonly [string, object, string, string]>([
    ['/v1/runs', { threatmodel: 'top-id' }, '#/threatmodel', 'did you mean threatModel?'],
    ['/v1/runs', { threatModel: 'top-id', seeds: '1' }, '#/seeds', 'did you mean seed?'],
    ['/v1/elections', { ...ELECTION, freshclaims: {} }, '#/freshclaims', 'mean freshClaims?'],
    ['/v1/elections', { ...ELECTION, network: { los: '5%' } }, '#/network/los', 'mean loss?'],
    ['/v1/checks', { ...ELECTION, bounds: { crashes: 1 } }, '#/bounds/crashes', 'mean crash?'],
    ['/v1/elections', { ...ELECTION, policy: { idbits: 8 } }, '#/policy/idbits', 'mean idBits?'],
  ])('of %s with an unknown member names a similar one: %j', async (path, body, pointer, words) => {
    const { status, json } = await post(path, body);

    expect(status).toBe(400);
    expect(json.errors).toContainEqual({ pointer, detail: expect.stringContaining(words) });
  });

  it.each<readonly [string, object, string, string]>([
    ['/v1/elections', { protocol: 'crjoin', nodes: 3 }, '#/protocol', '(did you mean cr-join?)'],
    ['/v1/elections', { ...ELECTION, level: 'l3' }, '#/level', '(did you mean L3?)'],
    ['/v1/runs', { threatModel: 'topid' }, '#/threatModel', '(did you mean top-id?)'],
    ['/v1/checks', { protocol: 'rafft' }, '#/protocol', '(did you mean raft?)'],
    ['/v1/attacks', { protocol: 'cr-join', behaviours: ['swalow'] }, '#/behaviours/0', 'swallow?'],
    ['/v1/fault-matrices', { starts: 'togethr' }, '#/starts', 'together?'],
  ])('of %s with an unknown name names a similar one: %j', async (path, body, pointer, words) => {
    const { status, json } = await post(path, body);

    expect(status).toBe(400);
    expect(json.errors).toContainEqual({ pointer, detail: expect.stringContaining(words) });
  });

  it.each<readonly [string, object, string, string]>([
    ['/v1/elections', { ...ELECTION, policy: 'stroj' }, '#/policy', '(did you mean storj?)'],
    ['/v1/elections', { ...ELECTION, policy: { c1: -1 } }, '#/policy/c1', 'from 0 to'],
    ['/v1/elections', { ...ELECTION, initiators: [0] }, '#/initiators/0', 'a rank'],
    ['/v1/elections', { ...ELECTION, initiators: 'highest' }, '#/initiators', 'all, lowest'],
    ['/v1/forgeries', { policy: { c1: 8, idbits: 8 } }, '#/policy/idbits', 'mean idBits?'],
  ])(
    'of %s with a member of several forms speaks of the form that was sent: %j',
    async (path, body, pointer, words) => {
      const { status, json } = await post(path, body);

      expect(status).toBe(400);
      expect(json.errors).toContainEqual({ pointer, detail: expect.stringContaining(words) });
    },
  );

  it.each<readonly [object, string]>([
    [{ ring: [1, 2] }, '#/ring'],
    [{ ring: [1, 2, 7] }, '#/ring'],
    [{ phantoms: [9] }, '#/phantoms'],
    [{ phantoms: [1, 2, 3] }, '#/phantoms'],
    [{ byzantine: [{ rank: 9, behaviours: ['swallow'] }] }, '#/byzantine'],
    [{ byzantine: [{ rank: 1, behaviours: ['double-vote'] }] }, '#/byzantine'],
    [{ phantoms: [3], byzantine: [{ rank: 3, behaviours: ['swallow'] }] }, '#/byzantine'],
    [{ defences: ['pre-vote'] }, '#/defences'],
  ])('of /v1/elections with a part that does not fit points at it: %j', async (part, pointer) => {
    const { status, json } = await post('/v1/elections', { ...ELECTION, ...part });

    expect({ status, code: json.code }).toEqual({ status: 400, code: 'arguments' });
    expect(json.errors).toEqual([{ pointer, detail: expect.any(String) }]);
  });

  it('of an action without its cut says what a cut is', async () => {
    const { json } = await post('/v1/elections', ELECTION);
    const refused = await post(`/v1/elections/${json.id}/actions`, { type: 'partition' });

    expect(refused.json.detail).toContain('is missing: it must be halves, ');
  });

  it('with a name like no other has no suggestion', async () => {
    const { json } = await post('/v1/elections', { ...ELECTION, xyzzy: 1, level: 'quux' });

    expect(JSON.stringify(json.errors)).not.toContain('did you mean');
  });

  it.each<readonly [string, object, string, string]>([
    ['/v1/elections', { nodes: 3 }, '#/protocol', 'is missing: it must be one of '],
    ['/v1/runs', {}, '#/threatModel', 'is missing: it must be an id '],
    ['/v1/designs', {}, '#/epsilon', 'is missing: it must be '],
    ['/v1/identities/verify', {}, '#/claim', 'is missing'],
    ['/v1/checks', {}, '#/protocol', 'is missing'],
    ['/v1/sessions', { type: 'token' }, '#/token', 'is missing: it must be text'],
  ])('of %s without a member says that it is missing: %j', async (path, body, pointer, words) => {
    const { status, json } = await post(path, body);

    expect(status).toBe(400);
    expect(json.errors).toContainEqual({ pointer, detail: expect.stringContaining(words) });
    expect(JSON.stringify(json)).not.toMatch(/undefined|expected string/);
  });

  it('with many unknown members has suggestions for those that are answered', async () => {
    const names = Array.from({ length: 60 }, (_, index) => [`protocl${index}`, 1]);

    const { json } = await post('/v1/elections', Object.fromEntries(names));

    const details = (json.errors as { readonly detail: string }[]).map(({ detail }) => detail);
    expect(details.filter((text) => text.includes('did you mean protocol?'))).toHaveLength(16);
    expect(json.detail).toMatch(/\(and \d+ more\)$/);
  });
});

describe('a threat model', () => {
  it.each(['/v1/runs', '/v1/sweeps', '/v1/defence-comparisons'])(
    'in the place of the body of %s is named so',
    async (path) => {
      const { status, json } = await post(path, MODEL);

      expect(status).toBe(400);
      expect(json.errors).toEqual([
        { pointer: '#', detail: expect.stringContaining('send it as {"threatModel": …}') },
      ]);
    },
  );

  it('that is a body with a threat model is named so', async () => {
    const { json } = await post('/v1/runs', { threatModel: { threatModel: MODEL, runs: 5 } });

    expect(json.errors).toEqual([
      { pointer: '#/threatModel', detail: expect.stringContaining('send its member threatModel') },
    ]);
  });

  it.each(['threatModel', 'seed', 'set', 'axes'])('in YAML has no %s', async (name) => {
    const body = `${stringify(MODEL)}${name}: "1"\n`;

    const { status, json } = await post('/v1/runs', body, YAML);

    expect(status).toBe(400);
    expect(json.errors).toEqual([
      {
        pointer: `#/${name}`,
        detail: expect.stringMatching(/^body:\d+: .*send JSON with the threat model/),
      },
    ]);
  });

  it.each(['runs=5', 'seed=1', 'set=work%3Dsampled'])(
    'in YAML with ?%s is refused with the body that has both',
    async (query) => {
      const { status, json } = await post(`/v1/runs?${query}`, stringify(MODEL), YAML);

      expect(status).toBe(400);
      expect(json.detail).toContain('belongs in the body: send JSON with the threat model');
    },
  );

  it.each([
    ['title', '#/title', 'title: Mine', 'title: Mine\ntitle: Yours', 3],
    ['nested', '#/network/honest', 'honest: 4', 'honest: 4\n  honest: 5', 11],
  ])('in YAML with a %s key twice is refused with its pointer and line', async (...row) => {
    const [, pointer, once, twice, line] = row;
    const text = stringify(MODEL).replace(once, twice);

    const { json } = await post('/v1/runs', text, YAML);

    expect(json.errors).toEqual([
      { pointer, detail: expect.stringMatching(`^body:${line}:\\d+: this key was already given`) },
    ]);
  });
});

describe('a query parameter', () => {
  it('that is given twice is refused as such', async () => {
    const { status, json } = await call('GET', '/v1/jobs?pageSize=5&pageSize=6');

    expect(status).toBe(400);
    expect(json.detail).toBe('query parameter pageSize: must be given once');
  });

  it('that is misspelt is refused with a similar one', async () => {
    const { json } = await call('GET', '/v1/jobs?pagesize=5');

    expect(json.detail).toBe(
      'query parameter pagesize: not a member that is known here; did you mean pageSize?',
    );
  });
});
