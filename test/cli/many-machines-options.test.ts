import should from 'should';
import { runProgram } from '../service/support/program.js';
import { runHere } from './support/run-here.js';

const DATABASE = ['--database-url', 'postgres://ann:hunter2@127.0.0.1:1/models', '--s3-bucket', 'models'];

describe('the options of one process of many', () => {
  const errorsOf = async (args: string[], environment?: Record<string, string>): Promise<string> => {
    const { status, lines, errors } = await (environment ? runProgram(args, environment) : runHere(args));
    should(status).equal(2, errors);
    should(lines).be.empty();
    errors.should.not.containEql('hunter2');
    return errors;
  };

  for (const [name, value] of [
    ['workers', '2'],
    ['memory', '1G'],
    ['cache', 'off'],
    ['sandbox', 'off'],
    ['callbacks', 'loopback'],
    ['callback-secret-file', '/run/secrets/callback'],
    ['keep-days', '3'],
    ['scrub-days', '3'],
    ['scratch', '/tmp'],
    ['drain', '5'],
  ] as const) {
    it(`of serve do not include --${name}, which belongs to worker`, async () => {
      (await errorsOf(['serve', ...DATABASE, `--${name}`, value])).should.match(
        new RegExp(`Option --${name} is not valid for serve with --database-url: set it for worker`),
      );
    });
  }

  it('of serve do not include those of a service on one machine', async () => {
    (await errorsOf(['serve', ...DATABASE], { MODEL_PROCESSING_FAULT: 'header' })).should.match(/--fault is not valid/);
    (await errorsOf(['serve', ...DATABASE, '--data', '/tmp'])).should.match(
      /Set only one of --data and --database-url/,
    );
  });

  it('of worker do not include those of the API, and of a service on one machine', async () => {
    const args = ['worker', ...DATABASE, '--scratch', '/tmp/never-opened'];
    (await errorsOf([...args, '--public-url', 'https://a.example'])).should.match(
      /Option --public-url is not valid for worker: set it for serve\./,
    );
    (await errorsOf([...args, '--metrics-port', '1'])).should.match(/--metrics-port is not valid for worker/);
    (await errorsOf([...args, '--data', '/tmp'])).should.match(/--data is not valid for worker: .*one machine/);
  });

  it('of a service on one machine do not include those of many machines', async () => {
    (await errorsOf(['serve', '--scratch', '/tmp'])).should.match(
      /--scratch is not valid for serve: set it for worker/,
    );
    (await errorsOf(['serve', '--drain-delay', '5'])).should.match(
      /--drain-delay is not valid for serve: it is for a service on many machines, with --database-url/,
    );
  });

  it('include the secret of callbacks for the processes that send some, and no other reads its file', async () => {
    const environment = { MODEL_PROCESSING_CALLBACK_SECRET_FILE: '/nowhere' };
    const expected = /Could not read \/nowhere for --callback-secret-file/;
    (await errorsOf(['serve', '--data', '/nowhere'], environment)).should.match(expected);
    (await errorsOf(['worker', ...DATABASE, '--scratch', '/nowhere'], environment)).should.match(expected);
    const { errors } = await runProgram(['serve', ...DATABASE], environment);
    errors.should.match(/Could not open the database/);
  });

  it('may be in an environment that serve and worker share', async () => {
    const { status, errors } = await runProgram(['serve', ...DATABASE], { MODEL_PROCESSING_WORKERS: '2' });
    should(status).equal(1);
    errors.should.match(/Could not open the database 127\.0\.0\.1:1\/models/).and.not.containEql('hunter2');
  });
});
