/**
 * @module
 * What a participant loses at once when it is revoked, and names that participants could take for each other.
 */

import { setImmediate } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { CLAIM_EXAMPLE } from '../../../../server/claims/identities.ts';
import { lookAlike } from '../../../../server/elections/sharing/shared-elections.ts';
import { bearer, sharedLab, TOKENS } from './shared-lab.ts';

describe('a participant that is revoked', () => {
  it.each([
    ['it is removed', 'DELETE', 'participants', undefined],
    ['the election becomes private', 'PUT', 'access', { mode: 'private' }],
  ])('loses its open stream at once if %s', async (_what, method, below, body) => {
    const lab = sharedLab();
    const election = await lab.made();
    const ann = await lab.enter(await lab.share(election));
    const follow = async (token: string) => {
      const headers = { ...bearer(token), Accept: 'text/event-stream' };
      const response = await lab.app.request(`${election}/events?follow=true`, { headers });
      return response.body?.getReader() ?? null;
    };
    const [own, others] = [await follow(ann.token), await follow(TOKENS.ida)];
    await own?.read();
    const rest = readAll(own);
    const path = below === 'access' ? below : `${below}/${ann.id}`;

    await lab.ask(TOKENS.ida, method, `${election}/${path}`, body);

    expect(await rest).toContain('event: done');
    expect(lab.elections.streams.open).toBe(1);
    await others?.cancel();
    expect(lab.elections.streams.open).toBe(0);
  });

  it('loses its open inbox at once, with the answer for an election that does not exist', async () => {
    const lab = sharedLab();
    const election = await lab.made();
    const ann = await lab.enter(await lab.share(election));
    const joining = { claim: CLAIM_EXAMPLE, waitMs: 0 };
    const { json } = await lab.ask(ann.token, 'POST', `${election}/nodes`, joining);
    const { inbox } = json.links as { readonly inbox: string }; // By the schema.
    const headers = { ...bearer(ann.token), 'Node-Token': String(json.token) };
    const poll = lab.call('GET', `${inbox}?waitMs=30000`, { headers });
    await setImmediate();

    await lab.ask(TOKENS.ida, 'DELETE', `${election}/participants/${ann.id}`);

    expect((await poll).status).toBe(404);
    expect(lab.elections.streams.open).toBe(0);
  });
});

describe('the name of a participant', () => {
  it.each([
    ['Ann', 'ann'],
    ['Ann', 'ANN'],
    ['Ann Lee', 'Ann  Lee'],
    // The first letter is Cyrillic.
    ['Anna', '\u0410nna'],
    // All letters are Cyrillic.
    ['cop', '\u0441\u043e\u0440'],
    ['Otto', '0tto'],
    ['Bill', 'BiIl'],
    ['Alex1', 'Alexl'],
    ['\u03a4om', 'Tom'],
    ['Ann', 'A\u200bnn'],
    ['Bob', 'B0B'],
    ['Paul', 'PAU1'],
    ['Ann Lee', 'AnnLee'],
    ['Corn', 'Com'],
    ['wren', 'vvren'],
    ['lee', '\u0196ee'],
    ['Bib', 'B\u01c0b'],
    // Digits of Thai and Devanagari.
    ['Bob', 'B\u0e50b'],
    ['Bob3', 'B\u0966b3'],
    // Letters of Arabic, Hebrew and Armenian.
    ['lax', '\u0627ax'],
    ['Ron', 'R\u05e1n'],
    ['Olo', '\u0555lo'],
    ['Sue', '\u054fue'],
    ['ｅva', 'eva'],
    // Whole names of another script: Greek, Armenian, Cherokee, Lisu.
    ['Nova', '\u039d\u03bf\u03bd\u03b1'],
    ['nou', '\u0578\u0585\u057d'],
    ['BAD', '\u13f4\u13aa\u13a0'],
    ['LISU', '\ua4e1\ua4f2\ua4e2\ua4f4'],
  ])('%j is taken by %j', (one, other) => {
    expect([lookAlike(one, other), lookAlike(other, one)]).toEqual([true, true]);
  });

  it.each([
    ['Ann', 'Anne'],
    ['Ian', 'Lan'],
    ['Jos\u00e9', 'Jose'],
    ['\u0418\u0432\u0430\u043d', 'Ivan'],
    ['M\u00fcller', 'Muller'],
    ['Bob', 'Rob'],
  ])('%j is free beside %j', (one, other) => {
    expect([lookAlike(one, other), lookAlike(other, one)]).toEqual([false, false]);
  });

  it('is refused if it looks like that of another, which the answer names', async () => {
    const lab = sharedLab();
    const code = await lab.share(await lab.made());
    await lab.enter(code, 'cop');

    // All letters are Cyrillic.
    const answer = await lab.exchange(code, '\u0441\u043e\u0440');

    expect(answer).toMatchObject({ status: 409, json: { code: 'name.taken' } });
    expect(answer.json.detail).toContain('cop, which looks like');
  });

  it.each(['\u0410nna', 'B\u0e50b', '\u0627ax', 'R\u05e1n', '\u0555lo', 'Ann\u4e00', 'A\u03bd'])(
    'is refused if its letters are of several scripts: %j',
    async (name) => {
      const lab = sharedLab();

      const answer = await lab.exchange(await lab.share(await lab.made()), name);

      expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
      expect(answer.json.detail).toContain('letters of one script');
    },
  );

  it.each([
    '\u0939\u093f\u0928\u094d\u0926\u0940 7',
    '\u0e2a\u0e21\u0e0a\u0e32\u0e22',
    '\u0540\u0561\u0575',
    '\u7530\u4e2d \u3055\u304f\u3089',
    '\uae40 \u6c38',
    '\u05d3\u05d5\u05d3',
    '\u0645\u062d\u0645\u062f',
  ])('is accepted in one script: %j', async (name) => {
    const lab = sharedLab();

    const answer = await lab.exchange(await lab.share(await lab.made()), name);

    expect(answer).toMatchObject({ status: 201, json: { name } });
  });
});

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array> | null): Promise<string> {
  let text = '';
  for (;;) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) return text;
    text += new TextDecoder().decode(piece.value);
  }
}
