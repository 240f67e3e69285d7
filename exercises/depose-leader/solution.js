import { despitePreVote, shortest } from './cuts.js';

export async function solve(client) {
  const { given } = await client.instance('depose-leader');
  const plainTo = await shortest(client, given);
  const preVoteTo = await despitePreVote(client, given);
  const settings = { plainTo, preVoteTo, flags: 'both' };
  return client.submit('depose-leader', { type: 'settings', settings });
}
