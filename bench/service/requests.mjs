// The load generator of two measurements: many small requests over persistent connections. Prints one line of JSON.
//   polls URL TOKEN PER_SECOND SECONDS   polls a status at a fixed rate, independent of replies; prints latencies
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

async function polls(url, token, perSecond, seconds) {
  const headers = { authorization: `Bearer ${token}` };
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
          send(url, { headers }).then((reply) => {
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
const run = { polls, grants }[what];
console.log(JSON.stringify(await run(url, secret, ...numbers.map(Number))));
agent.destroy();
