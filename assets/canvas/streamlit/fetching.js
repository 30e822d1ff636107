// Fetches bytes from the app's server.

/** Fetch bytes. Throws an Error with the server's message if the server refuses. @param {string} address */
export async function fetchBytes(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status}: ${(await answer.text()).trim()}`);
  return new Uint8Array(await answer.arrayBuffer());
}
