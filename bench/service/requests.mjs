// The load generator of several measurements: many small requests over persistent connections. Prints one line of JSON.
//   polls URL TOKEN PER_SECOND SECONDS   polls a status at a fixed rate, independent of replies; prints latencies
//   starts URL TOKEN PER_SECOND SECONDS  starts operations at a fixed rate; stdin is the body; prints latencies
//   loop URL TOKEN CONNECTIONS SECONDS   sends the next request after each reply; stdin is the body, or empty to poll
//   grants URL BASIC CHAINS SECONDS      refreshes tokens in sequential chains; stdin is a JSON list of the first tokens
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

function send(url, options, body) {
  return new Promise((resolve, reject) => {
    const sending = request(url, { agent, ...options }, (reply) => {
      const chunks = [];
      reply.on('data', (chunk) => chunks.push(chunk));
      reply.on('end', () => resolve({ status: reply.statusCode, text: Buffer.concat(chunks).toString() }));
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

function expectOk({ status, text }) {
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return text;
}

function toOptions(token, body) {
  const headers = { authorization: `Bearer ${token}` };
  if (body === '') return { headers };
  const length = Buffer.byteLength(body);
  return { method: 'POST', headers: { ...headers, 'content-type': 'application/json', 'content-length': length } };
}

async function sendAtRate(url, token, body, perSecond, seconds) {
  const options = toOptions(token, body);
  const latencies = [];
  const all = [];
  const start = performance.now();
  const count = perSecond * seconds;
  await new Promise((resolve) => {
    const timer = setInterval(() => {
      // a late request counts from its planned time
      while (all.length < count && performance.now() - start >= (all.length * 1000) / perSecond) {
        const planned = start + (all.length * 1000) / perSecond;
        all.push(
          send(url, options, body).then((reply) => {
            expectOk(reply);
            latencies.push(performance.now() - planned);
          }),
        );
      }
      if (all.length < count) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });
  await Promise.all(all);
  latencies.sort((a, b) => a - b);
  const at = (fraction) => latencies[Math.floor(fraction * (latencies.length - 1))];
  return { count, p50: at(0.5), p99: at(0.99), most: at(1) };
}

async function polls(url, token, perSecond, seconds) {
  // opens all connections: a busy service accepts few per second
  await Promise.all(Array.from({ length: 64 }, () => send(url, toOptions(token, ''), '')));
  return sendAtRate(url, token, '', perSecond, seconds);
}

function starts(url, token, perSecond, seconds) {
  return sendAtRate(url, token, readFileSync(0, 'utf8'), perSecond, seconds);
}

async function loop(url, token, connections, seconds) {
  const body = readFileSync(0, 'utf8');
  const options = toOptions(token, body);
  const begin = performance.now();
  let count = 0;
  const stream = async () => {
    while (performance.now() - begin < seconds * 1000) {
      expectOk(await send(url, options, body));
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, stream));
  return { count, perSecond: (count * 1000) / (performance.now() - begin) };
}

async function grants(url, basic, seconds) {
  const end = performance.now() + seconds * 1000;
  const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' };
  let count = 0;
  const chain = async (first) => {
    let token = first;
    while (performance.now() < end) {
      const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token }).toString();
      const options = { method: 'POST', headers: { ...headers, 'content-length': body.length } };
      token = JSON.parse(expectOk(await send(url, options, body))).refresh_token;
      count += 1;
    }
  };
  await Promise.all(JSON.parse(readFileSync(0, 'utf8')).map(chain));
  return { count, perSecond: count / seconds };
}

const [what, url, secret, ...numbers] = process.argv.slice(2);
const run = { polls, starts, loop, grants }[what];
console.log(JSON.stringify(await run(url, secret, ...numbers.map(Number))));
agent.destroy();
