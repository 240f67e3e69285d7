/**
 * @module
 * What the registries list, over HTTP: every entry is in its list and has a path of its own.
 */

import { describe, expect, it } from 'vitest';
import { BEHAVIOUR_NAMES } from '../../../src/adversary/behaviours/registry.ts';
import { DETECTOR_NAMES } from '../../../src/election/detectors/registry.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import {
  CHOSEN_DEFENCE_NAMES,
  NETWORK_DEFENCE_NAMES,
} from '../../../src/experiment/document/defence-names.ts';
import { POLICY_NAMES } from '../../../src/identity/named-policies.ts';
import { readCatalogue } from '../../../src/runtime/files/catalogue.ts';
import { readGlossary } from '../../../src/runtime/files/glossary.ts';
import { labUnderTest } from '../lab-under-test.ts';

const { call, post } = labUnderTest();

interface Entry {
  readonly name: string;
}

/** All entries of a list. */
async function listed(plural: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let more = ''; more !== '&pageToken=null'; ) {
    const { json } = await call('GET', `/v1/${plural}?pageSize=50${more}`);
    entries.push(...(json.items as Entry[])); // By the schema.
    more = `&pageToken=${json.nextPageToken}`;
  }
  return entries;
}

describe.each<readonly [string, readonly string[]]>([
  ['behaviours', BEHAVIOUR_NAMES],
  ['defences', [...new Set([...CHOSEN_DEFENCE_NAMES, ...NETWORK_DEFENCE_NAMES])]],
  ['detectors', DETECTOR_NAMES],
  ['protocols', PROTOCOL_NAMES],
  ['policies', POLICY_NAMES],
  ['glossary', readGlossary().map(({ name }) => name)],
])('GET /v1/%s', (plural, names) => {
  it('lists every entry of its registry in the order of the names', async () => {
    const entries = await listed(plural);

    expect(entries.map(({ name }) => name)).toEqual(names.toSorted());
  });

  it('has each entry under its name', async () => {
    for (const entry of await listed(plural)) {
      expect((await call('GET', `/v1/${plural}/${entry.name}`)).json).toEqual(entry);
    }
  });

  it.each(['none', 'constructor', '__proto__', '..%2f'])('answers 404 for %s', async (name) => {
    expect((await call('GET', `/v1/${plural}/${name}`)).status).toBe(404);
  });
});

describe('the glossary', () => {
  it('has a name of its own for each term', () => {
    const names = readGlossary().map(({ name }) => name);

    expect(names.length).toBeGreaterThan(80);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
  });
});

describe('GET /v1/threat-models/{id}', () => {
  it('has each document of the catalogue, and no other', async () => {
    for (const model of await readCatalogue()) {
      const { json } = await call('GET', `/v1/threat-models/${model.id}`);
      expect(json).toEqual(JSON.parse(JSON.stringify(model)));
    }
    expect((await call('GET', '/v1/threat-models/none')).status).toBe(404);
  });
});

describe('GET /v1/elections/{id}/nodes/{node}', () => {
  it('has the node as the list has it, and no other', async () => {
    const { json } = await post('/v1/elections', { protocol: 'cr-join', nodes: 3, level: 'L2' });
    const path = `/v1/elections/${json.id}/nodes`;
    const nodes = (await call('GET', path)).json.items as { nodeId: string }[]; // By the schema.

    for (const node of nodes) {
      expect((await call('GET', `${path}/${node.nodeId}`)).json).toEqual(node);
    }
    expect((await call('GET', `${path}/${'ab'.repeat(32)}`)).status).toBe(404);
    expect((await call('GET', `${path}/1`)).status).toBe(404);
  });
});
