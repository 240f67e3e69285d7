/** Makes the adversary find as many IDs as there are honest nodes, so that it leads in half of the cases. */
export async function solve(client) {
  const { given } = await client.instance('choose-difficulty');
  const number = Math.floor(Math.log2(given.attempts / given.honest));
  return client.submit('choose-difficulty', { type: 'number', number });
}
