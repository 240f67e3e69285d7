/** Sends a PROBE round the ring before or after the nodes start. */
export async function attack(client, { candidate, startsFirst = false }) {
  const instance = await client.instance('phantom-probe');
  for (const path of Object.values(instance.elections)) await client.remove(path);
  const { elections } = await client.instance('phantom-probe');
  const inject = { type: 'inject', from: 1, to: 2, message: { type: 'PROBE', candidate } };
  const lap = { type: 'advance', until: 20 };
  const steps = startsFirst ? [{ type: 'start' }, lap, inject] : [inject, lap, { type: 'start' }];
  for (const path of Object.values(elections)) {
    for (const action of [...steps, { type: 'advance', until: 200 }]) {
      await client.post(`${path}/actions`, action);
    }
  }
  return client.submit('phantom-probe', { type: 'elections' });
}
