/**
 * @module
 * Every text in every example of a body, replaced by difficult texts and by values of other types: the
 * server keeps them unchanged or refuses them.
 */

import { describe, expect, it } from 'vitest';

import { openApiDocuments } from '../../../server/contract/openapi/document.ts';
import { examplesOf } from '../../../server/contract/openapi/shape.ts';
import { labUnderTest } from '../lab-under-test.ts';
import { NAUGHTY_TEXTS } from './mutations.ts';
import { targetsOf } from './requests.ts';

const refuse = () => Promise.reject(new DOMException('not executed here', 'AbortError'));
const lab = labUnderTest({
  execute: () => new Promise(() => {}),
  executions: {
    ...{
      operation: () => new Promise(() => {}),
      check: refuse,
    },
  },
});
const targets = targetsOf(openApiDocuments(lab.app, '0.0.0-test').v31);
/** Interval of the difficult texts that are sent; 1 sends all of them. */
const STRIDE = Number(process.env.TEXTS_STRIDE ?? 7);

const SHARED = {
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ mode: 'shared' }),
};

const NO_TEXTS: readonly unknown[] = [{}, [], ['x'], { length: 1 }, true, 0, 1.5];

type Path = readonly (string | number)[];

const cases = targets
  .filter(({ method, path }) => method === 'POST' && !path.includes('{node}'))
  .flatMap(({ path, operation }) => {
    const media = operation.requestBody?.content['application/json'];
    return (media === undefined ? [] : examplesOf(media)).flatMap((example, number) =>
      textsIn(example).map(
        (at) => [`${path} ${number} ${at.join('.')}`, path, example, at] as const,
      ),
    );
  });

describe('a text in a body', () => {
  it.each(cases)(
    'that is trouble elsewhere is none at %s',
    async (_name, template, example, at) => {
      const { json } = await lab.post('/v1/elections', { protocol: 'cr-join', nodes: 3 });
      const path = template.replace('{id}', String(json.id));
      await lab.call('PUT', `/v1/elections/${json.id}/access`, SHARED);

      for (let index = at.length; index < NAUGHTY_TEXTS.length; index += STRIDE) {
        const text = NAUGHTY_TEXTS[index] ?? '';
        const answer = await lab.post(path, replaced(example, at, text));

        // A wrong code or token is refused with 401, a request for a cookie without Origin with 403.
        const isRefused = path === '/v1/sessions' && [401, 403].includes(answer.status);
        const isClassless = hasNoClass(path, answer.status);
        const statuses = [200, 201, 202, 400, 409, 422, 429, 503];
        if (!isRefused && !isClassless) expect(statuses, text).toContain(answer.status);
        const name = at.at(-1) ?? '';
        if (answer.status < 300 && name in Object(answer.json)) expectKept(answer.json[name], text);
        await forget(answer.headers.get('Location'));
      }
      for (const value of NO_TEXTS) {
        const answer = await lab.post(path, replaced(example, at, value));

        // The validation of a document states that it is wrong in an answer 200.
        const isInvalid = path.endsWith('-validations') && answer.json.valid === false;
        // No cluster is started here: a valid action has none.
        const isUnknown =
          (path.startsWith('/v1/clusters/') && answer.status === 404) ||
          hasNoClass(path, answer.status);
        const isRefused = answer.status === 400 || isInvalid;
        expect(
          isRefused || isTaken(value, isUnknown ? 202 : answer.status),
          JSON.stringify(value),
        ).toBe(true);
        await forget(answer.headers.get('Location'));
      }
      await lab.call('DELETE', `/v1/elections/${json.id}`);
      expect(lab.faults).toEqual([]);
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );
});

/** Whether a valid request of coursework is refused, because the server under test has no class. */
function hasNoClass(path: string, status: number): boolean {
  return path.startsWith('/v1/class/') && status === 404;
}

/** A text is answered byte for byte; a list of texts contains it. */
function expectKept(answered: unknown, text: string): void {
  if (typeof answered === 'string') expect(answered).toBe(text);
}

/** Paths at which a number or a list is allowed as well. */
function isTaken(value: unknown, status: number): boolean {
  return (typeof value !== 'object' || Array.isArray(value)) && status < 300;
}

async function forget(location: string | null): Promise<void> {
  if (location !== null && !location.endsWith('/inbox')) await lab.call('DELETE', location);
}

/** The paths of the texts in a value. */
function textsIn(value: unknown, at: Path = []): Path[] {
  if (typeof value === 'string') return [at];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    textsIn(part, [...at, Array.isArray(value) ? Number(name) : name]),
  );
}

/** The value with a replacement at a path. */
function replaced(value: unknown, [name, ...rest]: Path, other: unknown): unknown {
  if (name === undefined) return other;
  if (Array.isArray(value)) {
    return value.map((part, index) => (index === name ? replaced(part, rest, other) : part));
  }
  const part = Object(value)[name];
  return { ...Object(value), [name]: replaced(part, rest, other) };
}
