/**
 * @module
 * What a server does before it says that it is ready, so that the first callers do not pay for it: V8
 * compiles what elections are made of, and zod its schemas, when they are first used, which costs a
 * first election ten times the time of a later one.
 */

import { createApp } from './app.ts';
import { EPHEMERAL_LOG } from './elections/storage/log.ts';
import { ElectionStore } from './elections/storage/store.ts';
import { Lifecycle } from './request/lifecycle.ts';
import type { Services } from './services.ts';

/**
 * Makes one election, runs it and reads it, on an app of its own that leaves no trace in the server's.
 * Faults go where those of requests go.
 */
export async function warmUp(services: Services): Promise<void> {
  const { version, policy, admission, threatModels, jobs, onFault } = services;
  const elections = new ElectionStore(EPHEMERAL_LOG);
  const lifecycle = new Lifecycle('ready');
  const servesHost = () => true;
  const app = createApp({
    ...{ version, policy, admission, threatModels, jobs, onFault },
    ...{ elections, lifecycle, servesHost },
  });
  const post = (path: string, body: object) =>
    app.request(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const made = await post('/v1/elections', { protocol: 'bully-oneshot', nodes: 50, seed: '1' });
  const election = made.headers.get('Location');
  if (election !== null) {
    await post(`${election}/actions`, { type: 'start' });
    await post(`${election}/actions`, { type: 'advance', until: 'idle' });
    await app.request(election);
  }
  elections.close();
}
