import { chmod, chown, lchown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import should from 'should';
import { type Swift, startSwift } from '../databases/blobs/support/swift.js';
import { startHaproxy } from '../helpers/haproxy.js';
import { findFreePort } from '../helpers/node-red-process.js';
import { packPackage } from '../helpers/packed-package.js';
import { PostgresServer } from '../helpers/postgres-server.js';
import { callsWith } from '../service/support/account.js';
import { OPEN_CUBE } from '../service/support/models.js';
import { type Compose, readCompose } from './support/compose.js';
import { CONTAINER_USER, type Container, runInContainer, startContainer } from './support/container.js';
import { type Dockerfile, readDockerfile } from './support/dockerfile.js';

const ONE_MACHINE = 'docs/operating';
const MANY_MACHINES = 'docs/operating/many-machines';
const APIS = ['api-1', 'api-2'];
const WORKERS = ['worker-1', 'worker-2'];
const PASSWORD = 'correct horse battery';

// Where the tests run there is no Docker. They run what it would run, with the addresses and folders of this machine.
describe('the container files of the operating manual', function () {
  this.timeout(900_000);
  let folder: string;
  let programs: string;
  let images: { one: Dockerfile; many: Dockerfile };
  let compose: Compose;
  const containers: Container[] = [];

  const createContainerFolder = async (name: string): Promise<string> => {
    await mkdir(path.join(folder, name));
    await chown(path.join(folder, name), CONTAINER_USER, CONTAINER_USER);
    return path.join(folder, name);
  };

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'containers-'));
    await chmod(folder, 0o755);
    images = { one: await readDockerfile(ONE_MACHINE), many: await readDockerfile(MANY_MACHINES) };
    compose = await readCompose(MANY_MACHINES);
    const prefix = await createContainerFolder('prefix');
    const home = await createContainerFolder('home');
    programs = path.join(prefix, 'bin');
    const tarball = await packPackage(folder);
    // npm needs the proxies and certificates of this machine, but not the folders of the user who runs the tests.
    const inherited = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
    const environment = { ...Object.fromEntries(inherited), npm_config_prefix: prefix, HOME: home };
    for (const command of images.many.run) {
      const local = command
        .replace('@model-processing/node-red', tarball)
        .replaceAll('/scratch', path.join(home, 'scratch'))
        .replace('node:node', `${CONTAINER_USER}:${CONTAINER_USER}`);
      const { status, errors } = await runInContainer({ programs, environment }, ['sh', '-ec', local]);
      should(status).equal(0, errors);
    }
    for (const name of await readdir(prefix, { recursive: true })) await lchown(path.join(prefix, name), 0, 0);
  });

  afterEach(async () => {
    for (const container of containers.splice(0)) await container.kill();
  });

  after(() => rm(folder, { recursive: true, force: true }));

  const start = async (options: Parameters<typeof startContainer>[0]): Promise<Container> => {
    const container = await startContainer(options);
    containers.push(container);
    return container;
  };

  it('install the package in the same way, and run it as another user than root', () => {
    const findInstall = (run: readonly string[]) =>
      run.find((step) => step.includes('npm install'))?.split(/\s+&& mkdir /)[0];
    const [one, many] = [images.one, images.many].map(({ run }) => findInstall(run)?.trim());
    should(one).equal(many);
    for (const { user } of [images.one, images.many]) should(user).equal('node');
  });

  it('start a service on one machine, which stops by a signal', async () => {
    const { environment, command, healthcheck } = images.one;
    const port = String(await findFreePort());
    const local = { MODEL_PROCESSING_DATA: await createContainerFolder('data'), MODEL_PROCESSING_PORT: port };
    const container = await start({
      programs,
      environment: { ...environment, ...local },
      command: command.map((word) => word.replace('0.0.0.0', '127.0.0.1')),
      healthcheck: healthcheck.map((word) => word.replace('127.0.0.1:8484', `127.0.0.1:${port}`)),
    });
    should(await container.stop()).equal(0);
  });

  it('name the services, secrets and files that there are', async () => {
    const { services, secrets } = compose;
    const balancer = await readFile(path.join(MANY_MACHINES, 'haproxy.cfg'), 'utf8');
    should([...balancer.matchAll(/^ {2}server (\S+) \1:8484$/gm)].map(([, name]) => name)).eql(APIS);
    should(services.balancer?.volumes).eql(['./haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro']);
    for (const { depends_on = [], secrets: names = [] } of Object.values(services)) {
      for (const name of Array.isArray(depends_on) ? depends_on : Object.keys(depends_on))
        should(services).have.key(name);
      for (const name of names) should(secrets).match({ [name]: { file: `secrets/${name}` } });
    }
    for (const name of [...APIS, ...WORKERS]) {
      should(services[name]).match({ read_only: true, init: true, cap_drop: ['ALL'] });
      JSON.stringify(services[name]?.environment).should.not.match(/PASSWORD|SECRET_ACCESS_KEY|postgres:/);
    }
  });

  it('build the image of all processes once', () => {
    const { services } = compose;
    const processes = [...APIS, ...WORKERS].map((name) => services[name]);
    should(processes).matchEach({ image: 'model-processing', pull_policy: 'never' });
    should(Object.keys(services).filter((name) => services[name]?.build)).eql(['api-1']);
  });

  describe('on many machines', () => {
    let server: PostgresServer;
    let swift: Swift;
    let secrets: string;

    before(async () => {
      process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
      [server, swift] = await Promise.all([PostgresServer.start(), startSwift()]);
    });

    after(() => Promise.all([server.stop(), swift.stop()]));

    const replaceIn = async (file: string, from: string | RegExp, to: string): Promise<void> => {
      const text = await readFile(file, 'utf8');
      const replaced = text.replace(from, to);
      replaced.should.not.equal(text);
      await writeFile(file, replaced); // keeps the owner and the mode
    };

    /** Creates the secrets with the script of the manual, and the account of the database and the bucket for them. */
    const createSecrets = async (): Promise<void> => {
      const script = await readFile(path.join(MANY_MACHINES, 'create-secrets.sh'), 'utf8');
      const here = `cd ${folder}\n${script.replace('chown 1000', `chown ${CONTAINER_USER}`)}`;
      should(await runInContainer({ programs, environment: {}, isRoot: true }, ['sh', '-c', here])).match({
        status: 0,
      });
      secrets = path.join(folder, 'secrets');
      await chmod(secrets, 0o711); // Compose mounts the files without their folder
      should(new Set(await readdir(secrets))).eql(new Set(Object.keys(compose.secrets)));
      for (const name of ['database-url', 's3-credentials', 's3-server']) {
        should((await stat(path.join(secrets, name))).uid).equal(CONTAINER_USER, `the owner of ${name}`);
      }
      const password = await readFile(path.join(secrets, 'database-password'), 'utf8');
      await server.query(`create role models login password '${password}'`);
      await server.query('create database models owner models');
      await replaceIn(path.join(secrets, 'database-url'), '@database/', `@127.0.0.1:${server.port}/`);
      await replaceIn(path.join(secrets, 's3-credentials'), /(?<=key_id = ).*/, swift.accessKeyId);
      await replaceIn(path.join(secrets, 's3-credentials'), /(?<=access_key = ).*/, swift.secretAccessKey);
      const { accessKeyId, secretAccessKey, endpoint } = swift;
      const options = { endpoint, region: 'us-east-1', forcePathStyle: true };
      const client = new S3Client({ ...options, credentials: { accessKeyId, secretAccessKey } });
      await client.send(new CreateBucketCommand({ Bucket: 'models' }));
      client.destroy();
    };

    /** Returns the environment of a container on this machine. */
    const environmentOf = async (name: string): Promise<Record<string, string>> => {
      const environment = { ...images.many.environment, ...compose.services[name]?.environment };
      const scratch = 'MODEL_PROCESSING_SCRATCH' in environment ? await createContainerFolder(`scratch-${name}`) : '';
      const replace = (value: string): string =>
        value
          .replace('/run/secrets', secrets)
          .replace('http://s3:8333', swift.endpoint)
          .replace('172.30.84.0/24', 'loopback')
          .replace('0.0.0.0', '127.0.0.1')
          .replace(/^\/scratch$/, scratch);
      const local = Object.entries(environment).map(([key, value]) => [key, replace(value)]);
      return { ...Object.fromEntries(local), MODEL_PROCESSING_PORT: String(await findFreePort()) };
    };

    it('process a model behind the balancer, and stop by a signal', async () => {
      await createSecrets();
      const urls: string[] = [];
      let environment: Record<string, string> = {};
      for (const name of [...APIS, ...WORKERS]) {
        environment = await environmentOf(name);
        const { command = images.many.command } = compose.services[name] ?? {};
        await start({ programs, environment, command, healthcheck: images.many.healthcheck });
        urls.push(`http://127.0.0.1:${environment.MODEL_PROCESSING_PORT}`);
      }
      const balancer = await startHaproxy(urls.slice(0, APIS.length));
      try {
        const execute = (args: string[], input = '') =>
          runInContainer({ programs, environment }, ['model-processing', ...args], input);
        const { clientId, clientSecret } = JSON.parse((await execute(['client', 'add', 'app'])).output);
        should(await execute(['user', 'add', 'ann'], `${PASSWORD}\n`)).match({ status: 0 });
        const reply = await fetch(`${balancer.baseUrl}/Token`, {
          method: 'POST',
          headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
          body: new URLSearchParams({ grant_type: 'password', username: 'ann', password: PASSWORD }),
        });
        const calls = callsWith(balancer.baseUrl, Object(await reply.json()).access_token);
        const { fileId } = (await calls.upload(OPEN_CUBE, 'cube.stl')).body;
        const imported = await calls.run('import', { fileId });
        const repaired = await calls.run('repair', { inputId: imported.result.body.resultId });
        should(repaired.result.body.report.verdict.level).equal('solid');
        for (const container of containers.slice().reverse()) should(await container.stop()).equal(0);
      } finally {
        await balancer.stop();
      }
    });
  });
});
