/**
 * @module
 * The trace of an election in each of its forms, and traces that are too large for a form.
 */

import { describe, expect, it } from 'vitest';

import { PIECE_CHARACTERS } from '../../../../server/streams/pulled-stream.ts';
import type { Answer } from '../../lab-under-test.ts';
import { labUnderTest } from '../../lab-under-test.ts';

const lab = labUnderTest();
const linkOf = (answer: Answer) => String(answer.headers.get('Location'));
const create = (body: object) =>
  lab.post('/v1/elections', { protocol: 'bully-oneshot', nodes: 4, seed: '1', ...body });

describe('GET /v1/elections/{id}/trace', () => {
  const traceOf = async (election: Answer, accept?: string) => {
    const headers = accept === undefined ? {} : { Accept: accept };
    const response = await lab.app.request(`${linkOf(election)}/trace`, { headers });
    return { response, text: await response.text() };
  };

  it('is JSON lines with clocks by default', async () => {
    const election = await create({ run: true });

    const { response, text } = await traceOf(election);

    const [header, ...lines] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(response.headers.get('Content-Type')).toBe('application/jsonl');
    expect(header).toMatchObject({ trace: 'usurp/trace/v1', options: { nodes: 4 } });
    expect(lines[0]).toMatchObject({ seq: 0, action: { type: 'start', node: 1 }, clock: { 1: 1 } });
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index));
  });

  it('is a log for ShiViz as plain text', async () => {
    const election = await create({ run: true });

    const { response, text } = await traceOf(election, 'text/plain');

    expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
    expect(text).toMatch(/^\(\?<host>/);
    expect(text).toContain('node4 {"node4":1}');
  });

  it('is a diagram as SVG', async () => {
    const election = await create({ run: true });

    const { response, text } = await traceOf(election, 'image/svg+xml');

    expect(response.headers.get('Content-Type')).toBe('image/svg+xml');
    expect(text).toMatch(/^(<\?xml.*\n)?<svg /);
  });

  it.each(['image/svg+xml', 'application/jsonl'])(
    'is sent as %s in pieces, between which the event loop turns',
    async (accept) => {
      const election = await create({ nodes: 60, run: true });
      const path = `${linkOf(election)}/trace`;
      let turns = 0;
      const count = () => {
        turns += 1;
        immediate = setImmediate(count);
      };
      let immediate = setImmediate(count);

      const { body } = await lab.app.request(path, { headers: { Accept: accept } });
      const pieces: { readonly bytes: number; readonly turn: number }[] = [];
      for await (const piece of body ?? []) pieces.push({ bytes: piece.length, turn: turns });
      clearImmediate(immediate);

      const lineMax = 16 * 1024;
      expect(pieces.length).toBeGreaterThan(10);
      expect(Math.max(...pieces.map(({ bytes }) => bytes))).toBeLessThan(
        PIECE_CHARACTERS + lineMax,
      );
      expect(new Set(pieces.map(({ turn }) => turn)).size).toBe(pieces.length);
    },
  );

  it('uses the type that Accept prefers', async () => {
    const election = await create({ run: true });

    const { response } = await traceOf(election, 'image/svg+xml;q=0.5, text/plain, */*;q=0.1');

    expect(response.headers.get('Content-Type')).toContain('text/plain');
  });

  it.each([
    [{ nodes: 4 }, 'text/html', 406, 'not_acceptable'],
    [{ nodes: 65 }, 'image/svg+xml', 400, 'job.size'],
    [{ nodes: 64, protocol: 'bully-oneshot', run: true }, 'image/svg+xml', 400, 'job.size'],
    [{ nodes: 200, run: true }, 'application/jsonl', 400, 'job.size'],
  ])('refuses %j as %s', async (body, accept, status, code) => {
    const election = await create(body);

    const answer = await lab.call('GET', `${linkOf(election)}/trace`, {
      headers: { Accept: accept },
    });

    expect(answer).toMatchObject({ status, json: { code } });
    await lab.call('DELETE', linkOf(election));
  });
});
