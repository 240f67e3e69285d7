/**
 * @module
 * Each cell of the table of secrets: the callers for which a fork, an event stream or a trace has them. The answers are
 * searched for the secrets themselves.
 */

import { beforeAll, describe, expect, it } from 'vitest';

import { digestOfSecret } from '../../../../server/callers/tokens.ts';
import { CLAIM_EXAMPLE } from '../../../../server/claims/identities.ts';
import { SERVER } from '../../../../server/request/principal.ts';
import { bytesToHex } from '../../../../src/bytes.ts';
import type { AnswerName, SecretName, ViewerName } from './secret-cells.ts';
import { ANSWERS, SECRET_CELLS, VIEWERS } from './secret-cells.ts';
import { bearer, sharedLab, TOKENS } from './shared-lab.ts';

const SEED = '314159265358979323846';

/** The texts of each secret, and what each caller receives. */
interface Staged {
  readonly secrets: Readonly<Record<SecretName, readonly string[]>>;
  readonly texts: Readonly<Record<string, string>>;
}

const nameOf = (answer: AnswerName, viewer: ViewerName) => `${answer} for ${viewer}`;

/** A public election with participants, after it was played. */
async function staged(): Promise<Staged> {
  const lab = sharedLab();
  const election = await lab.made({ seed: SEED });
  const code = await lab.share(election);
  const [ann, bob] = [await lab.enter(code, 'Ann'), await lab.enter(code, 'Bob')];
  await lab.ask(TOKENS.ida, 'PUT', `${election}/access`, { mode: 'public' });
  const joining = { claim: CLAIM_EXAMPLE, waitMs: 0 };
  const { json: node } = await lab.ask(bob.token, 'POST', `${election}/nodes`, joining);
  for (const action of [{ type: 'start' }, { type: 'advance', until: 'idle' }]) {
    await lab.ask(TOKENS.ida, 'POST', `${election}/actions`, action);
  }
  const tokens = {
    owner: TOKENS.ida,
    manager: TOKENS.ian,
    participant: ann.token,
    onlooker: TOKENS.sam,
  };
  const texts: Record<string, string> = {};
  for (const viewer of VIEWERS) {
    const get = async (path: string) => {
      const response = await lab.app.request(path, { headers: bearer(tokens[viewer]) });
      return response.text();
    };
    const history = async (path: string) =>
      (await get(`${path}/events`)) + (await get(`${path}/trace`));
    const fork = await lab.ask(tokens[viewer], 'POST', `${election}/fork`, {});
    const copy = fork.headers.get('Location');
    texts[nameOf('state', viewer)] =
      (await get(election)) + (await get(`${election}/nodes`)) + (await get('/v1/elections'));
    texts[nameOf('events', viewer)] = await get(`${election}/events`);
    texts[nameOf('trace', viewer)] = await get(`${election}/trace`);
    texts[nameOf('fork', viewer)] = fork.text + (copy === null ? '' : await history(copy));
  }
  const { roster } = lab.elections.get(election.split('/').at(-1) ?? '', SERVER).stage;
  const keys = roster.nodes.flatMap(({ key }) =>
    key?.secret ? [bytesToHex(key.secret.bytes)] : [],
  );
  const nodeToken = String(node.token);
  const secrets = {
    'the seed': [SEED],
    'the name of its owner': ['"owner":"ida"'],
    'messages of other nodes': ['"type":"ELECTION"'],
    'private keys of the server’s nodes': keys,
    'node tokens and their digests': [nodeToken, digestOfSecret(nodeToken)],
    'the join code': [code, code.replaceAll('-', '')],
    'tokens of participants': [ann.token, bob.token].flatMap((token) => [
      ...[token, digestOfSecret(token)],
    ]),
  };
  return { secrets, texts };
}

const CELLS = (Object.keys(SECRET_CELLS) as SecretName[]).flatMap((secret) =>
  ANSWERS.flatMap((answer) => VIEWERS.map((viewer) => [secret, answer, viewer] as const)),
); // The keys of a literal.

describe('the table of secrets', () => {
  let all: Staged;

  beforeAll(async () => {
    all = await staged();
  });

  it('is about secrets that exist', () => {
    for (const texts of Object.values(all.secrets)) {
      expect(texts.length).toBeGreaterThan(0);
      for (const text of texts) expect(text.length).toBeGreaterThan(12);
    }
  });

  it.each(CELLS)('says whether %s is in the %s that the %s receives', (secret, answer, viewer) => {
    const receivers: readonly ViewerName[] = SECRET_CELLS[secret][answer];
    const text = all.texts[nameOf(answer, viewer)] ?? '';

    const found = all.secrets[secret].some((each) => text.includes(each));

    expect(text).not.toBe('');
    expect(found).toBe(receivers.includes(viewer));
  });
});
