// A service that costs next to nothing: forgets what is uploaded, makes up what is downloaded, and counts. An id tells a file's size.
// Prints its address. EXPIRES_IN: the life of its tokens in seconds, default 900.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const PIECE = Buffer.alloc(1 << 20, 'model ');
const REPLY = { 'Content-Type': 'application/json' };
const expiresIn = Number(process.env.EXPIRES_IN ?? 900);

let counts;
const spent = new Set();
const reset = () => {
  counts = { tokenRequests: 0, refreshReused: 0, starts: 0, uploads: 0, uploadBytes: 0 };
};
reset();

const answer = (reply, body) => reply.writeHead(200, REPLY).end(JSON.stringify(body));

const readText = async (request) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
};

const token = async (request, reply) => {
  counts.tokenRequests += 1;
  const refreshToken = new URLSearchParams(await readText(request)).get('refresh_token');
  if (refreshToken && spent.has(refreshToken)) counts.refreshReused += 1;
  if (refreshToken) spent.add(refreshToken);
  answer(reply, {
    access_token: randomUUID(),
    token_type: 'bearer',
    expires_in: expiresIn,
    refresh_token: randomUUID(),
  });
};

const upload = (request, reply) => {
  request.on('data', (chunk) => {
    counts.uploadBytes += chunk.length;
  });
  request.on('end', () => {
    counts.uploads += 1;
    const fileId = randomUUID();
    answer(reply, { fileId, creationDate: '2024-05-06T07:08:09+00:00', fileUrl: `http://127.0.0.1/${fileId}` });
  });
};

const download = (size, reply) => {
  reply.writeHead(200, { 'Content-Type': 'model/stl', 'Content-Length': String(size), ETag: '"1"' });
  let left = size;
  const write = () => {
    while (left > 0) {
      const piece = left < PIECE.length ? PIECE.subarray(0, left) : PIECE;
      left -= piece.length;
      if (!reply.write(piece)) return;
    }
    reply.end();
  };
  reply.on('drain', write);
  write();
};

const server = createServer((request, reply) => {
  const { method, url } = request;
  const file = /^\/web-api\/operation\/file\/[0-9a-f-]{24}([0-9a-f]{12})$/.exec(url);
  if (url === '/Token') void token(request, reply);
  else if (url === '/counts') answer(reply, counts);
  else if (url === '/reset') answer(reply, reset());
  else if (file) download(Number.parseInt(file[1], 16), reply);
  else if (method === 'POST' && url.endsWith('/file')) upload(request, reply);
  else {
    request.resume();
    counts.starts += 1;
    request.on('end', () => answer(reply, { operationId: randomUUID() }));
  }
});
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
