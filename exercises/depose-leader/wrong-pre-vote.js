import { shortest } from './cuts.js';

/** Believes that a pre-vote is enough, so that any cut may stand for the second one. */
export async function solve(client) {
  const { given } = await client.instance('depose-leader');
  const settings = {
    plainTo: await shortest(client, given),
    preVoteTo: given.from + 5,
    flags: 'preVote',
  };
  return client.submit('depose-leader', { type: 'settings', settings });
}
