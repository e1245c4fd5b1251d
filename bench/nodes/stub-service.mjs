// A stub service with negligible cost: discards uploads, generates downloads and counts requests. The id of a file
// contains its size. Prints its URL. EXPIRES_IN: the lifetime of its tokens in seconds (900).
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const CHUNK = Buffer.alloc(1 << 20, 'model ');
const JSON_HEADERS = { 'Content-Type': 'application/json' };
const expiresIn = Number(process.env.EXPIRES_IN ?? 900);

let counts;
const usedRefreshTokens = new Set();
function reset() {
  counts = { tokenRequests: 0, refreshReused: 0, starts: 0, uploads: 0, uploadBytes: 0 };
}
reset();

function sendJson(reply, body) {
  return reply.writeHead(200, JSON_HEADERS).end(JSON.stringify(body));
}

async function readText(request) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

async function token(request, reply) {
  counts.tokenRequests += 1;
  const refreshToken = new URLSearchParams(await readText(request)).get('refresh_token');
  if (refreshToken && usedRefreshTokens.has(refreshToken)) counts.refreshReused += 1;
  if (refreshToken) usedRefreshTokens.add(refreshToken);
  sendJson(reply, {
    access_token: randomUUID(),
    token_type: 'bearer',
    expires_in: expiresIn,
    refresh_token: randomUUID(),
  });
}

function upload(request, reply) {
  request.on('data', (chunk) => {
    counts.uploadBytes += chunk.length;
  });
  request.on('end', () => {
    counts.uploads += 1;
    const fileId = randomUUID();
    sendJson(reply, { fileId, creationDate: '2024-05-06T07:08:09+00:00', fileUrl: `http://127.0.0.1/${fileId}` });
  });
}

function download(size, reply) {
  reply.writeHead(200, { 'Content-Type': 'model/stl', 'Content-Length': String(size), ETag: '"1"' });
  let remaining = size;
  const write = () => {
    while (remaining > 0) {
      const piece = remaining < CHUNK.length ? CHUNK.subarray(0, remaining) : CHUNK;
      remaining -= piece.length;
      if (!reply.write(piece)) return;
    }
    reply.end();
  };
  reply.on('drain', write);
  write();
}

const server = createServer((request, reply) => {
  const { method, url } = request;
  const file = /^\/web-api\/operation\/file\/[0-9a-f-]{24}([0-9a-f]{12})$/.exec(url);
  if (url === '/Token') void token(request, reply);
  else if (url === '/counts') sendJson(reply, counts);
  else if (url === '/reset') sendJson(reply, reset());
  else if (file) download(Number.parseInt(file[1], 16), reply);
  else if (method === 'POST' && url.endsWith('/file')) upload(request, reply);
  else {
    request.resume();
    counts.starts += 1;
    request.on('end', () => sendJson(reply, { operationId: randomUUID() }));
  }
});
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
