/**
 * @module
 * When the server accepts requests: while it restores, when it is ready, and while it drains.
 */

import { describe, expect, it } from 'vitest';
import { Lifecycle } from '../../../server/request/lifecycle.ts';
import { labUnderTest } from '../lab-under-test.ts';

describe('the lifecycle', () => {
  it('goes from restoring to ready to draining and never back', () => {
    const lifecycle = new Lifecycle();
    const phases = [lifecycle.phase];
    for (const step of ['restored', 'drain', 'restored', 'drain'] as const) {
      lifecycle[step]();
      phases.push(lifecycle.phase);
    }

    expect(phases).toEqual(['restoring', 'ready', 'draining', 'draining', 'draining']);
  });

  it('calls each listener once when draining begins, and a late one at once', () => {
    const lifecycle = new Lifecycle('ready');
    const called: string[] = [];
    lifecycle.onDrain(() => called.push('early'));
    lifecycle.onDrain(() => called.push('gone'))();

    lifecycle.drain();
    lifecycle.drain();
    lifecycle.onDrain(() => called.push('late'));

    expect(called).toEqual(['early', 'late']);
    expect(lifecycle.listeners).toBe(0);
  });

  it('removes only the given listener', () => {
    const lifecycle = new Lifecycle('ready');
    let called = 0;
    const listener = () => {
      called += 1;
    };
    const takeAway = lifecycle.onDrain(listener);
    lifecycle.onDrain(listener);

    takeAway();
    takeAway();
    lifecycle.drain();

    expect(called).toBe(1);
  });
});

describe('readiness', () => {
  it('is reported while the server is ready', async () => {
    const { call } = labUnderTest();

    const answer = await call('GET', '/readyz');

    expect(answer).toMatchObject({ status: 200, json: { status: 'ready' } });
  });

  it('is denied while the server drains, as is everything but health and metrics', async () => {
    const { call, post, app, lifecycle } = labUnderTest();
    lifecycle.drain();

    const refused = [
      await call('GET', '/readyz'),
      await call('GET', '/v1/params'),
      await post('/v1/elections', { protocol: 'cr-join', nodes: 3 }),
    ];

    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 503, json: { code: 'server.unready' } });
      expect(answer.headers.get('Retry-After')).toBe('10');
      expect(answer.headers.get('Connection')).toBe('close');
    }
    expect((await call('GET', '/healthz')).status).toBe(200);
    expect((await app.request('/metrics')).status).toBe(200);
  });

  it('is denied with a Retry-After of one second while elections are restored', async () => {
    const { call } = labUnderTest({ phase: 'restoring' });

    const answer = await call('GET', '/v1/threat-models');

    expect(answer).toMatchObject({ status: 503, json: { detail: 'elections are being restored' } });
    expect(answer.headers.get('Retry-After')).toBe('1');
  });
});
