/**
 * @module
 * Runs one election before the server is ready. V8 compiles code and zod its schemas when they are first
 * used, so that the first election takes ten times as long as a later one.
 */

import { createApp } from './app.ts';
import { EPHEMERAL_LOG } from './elections/storage/log.ts';
import { ElectionStore } from './elections/storage/store.ts';
import { Lifecycle } from './request/lifecycle.ts';
import type { Services } from './services.ts';

/** Creates, runs and reads an election with an app of its own, which shares no state with the server's. */
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
  const created = await post('/v1/elections', { protocol: 'bully-oneshot', nodes: 50, seed: '1' });
  const election = created.headers.get('Location');
  if (election !== null) {
    await post(`${election}/actions`, { type: 'start' });
    await post(`${election}/actions`, { type: 'advance', until: 'idle' });
    await app.request(election);
  }
  elections.close();
}
