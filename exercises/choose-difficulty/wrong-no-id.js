/** Makes it unlikely that the adversary finds any ID, which honest nodes cannot afford. */
export async function solve(client) {
  const { given } = await client.instance('choose-difficulty');
  const number = Math.ceil(Math.log2(given.attempts / given.probability));
  return client.submit('choose-difficulty', { type: 'number', number });
}
