import { readFile } from 'node:fs/promises';
import should from 'should';
import { toProblemReply } from '../../../src/service/http/problems.js';
import { PROBLEMS } from '../../../src/service/problem-entries.js';
import { ServiceError } from '../../../src/service/service-error.js';

const codes = Object.values(PROBLEMS).map(([status, number]) => status * 100 + number);

describe('problems', () => {
  it('has unique codes', () => {
    should(new Set(codes).size).equal(codes.length);
  });

  it('has the same codes as docs/errors.md', async () => {
    const text = await readFile('docs/errors.md', 'utf8');
    const listed = [...text.matchAll(/^\| (\d{5}) \| (\d{3}) \|/gm)].map(([, code, status]) => {
      should(Math.floor(Number(code) / 100)).equal(Number(status));
      return Number(code);
    });
    should(new Set(listed)).deepEqual(new Set(codes));
  });

  it('hides the message of an unknown error', () => {
    const { status, body } = toProblemReply(new TypeError('cannot read /home/ann/secret'));
    should(status).equal(500);
    JSON.stringify(body).should.not.match(/secret|TypeError/);
  });

  it('maps errors of the HTTP framework to 400', () => {
    const error = Object.assign(new Error('no such thing'), { code: 'FST_ERR_SOMETHING_NEW', statusCode: 400 });
    should(toProblemReply(error).body.errors[0]?.code).equal(40000);
  });

  it('maps a full disk to 507', () => {
    const error = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    should(toProblemReply(error).status).equal(507);
  });

  it('adds the message that clients expect to a 401', () => {
    const { body } = toProblemReply(new ServiceError('NOT_AUTHORIZED', 'no token'));
    should(body).deepEqual({
      errors: [{ code: 40100, message: 'no token' }],
      message: 'Authorization has been denied for this request.',
    });
  });
});
