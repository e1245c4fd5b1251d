import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { isValidAccountName, requirePassword } from '../../auth/account-rules.js';
import { addClientAccount, addUserAccount, changePassword } from '../../auth/manage-accounts.js';
import type { PasswordCost } from '../../auth/passwords.js';
import type { Quotas } from '../../blobs/quotas.js';
import { MIN_QUOTA_BYTES } from '../../defaults.js';
import { readPackageInfo } from '../../package-info.js';
import { ServiceError } from '../../service-error.js';
import type { Accounts } from '../../store/accounts.js';
import type { Statistics } from '../../store/statistics.js';
import type { Usage } from '../../store/usage.js';
import { createSessionAuthentication, type SessionDependencies } from './authenticate-session.js';
import { requireSession } from './session-routes.js';

/** The dependencies of the routes for owners. */
export interface OwnerRouteDependencies extends SessionDependencies {
  accounts: Accounts;
  usage: Usage;
  statistics: Statistics;
  storageQuota: Quotas;
  /** The cost of new passwords. Default: that of `hashPassword`. */
  passwordCost?: PasswordCost | undefined;
}

const Name = Type.String({ maxLength: 1000 });
const Quota = Type.Union([Type.Integer({ minimum: MIN_QUOTA_BYTES, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()]);
const NewUser = Type.Object({ username: Name, password: Name, quotaBytes: Type.Optional(Quota) });
const NewClient = Type.Object({ clientId: Name });
const UserChange = Type.Object({ password: Type.Optional(Name), quotaBytes: Type.Optional(Quota) });

interface NameParams {
  name: string;
}

function requireName(name: string): string {
  if (isValidAccountName(name)) return name;
  throw new ServiceError('FIELD_INVALID', 'Invalid name: expected 1 to 200 characters without a colon.');
}

function requireAccount(exists: boolean, kind: 'user' | 'client', name: string): void {
  if (!exists) throw new ServiceError('ACCOUNT_UNKNOWN', `No ${kind} "${name.slice(0, 80)}" in this service.`);
}

function accountExists(kind: 'user' | 'client', name: string): ServiceError {
  return new ServiceError('ACCOUNT_EXISTS', `The ${kind} "${name}" already exists. Choose another name.`);
}

/** JSON has no infinity: then there is no limit. */
function finiteOrNull(bytes: number): number | null {
  return Number.isFinite(bytes) ? Math.floor(bytes) : null;
}

/** Describes the service, its users and its clients, for its owners. */
async function describeService({ accounts, usage, statistics, storageQuota }: OwnerRouteDependencies) {
  const [users, clients, owners, bytesByOwner, queue, { totalBytes, quotaBytes, freeBytes }] = await Promise.all([
    ...([accounts.listUsers(), accounts.listClients(), accounts.listOwners()] as const),
    ...([usage.byOwner(), statistics.read(), storageQuota.describe()] as const),
  ]);
  const isoTime = (time: number): string => new Date(Number(time)).toISOString();
  return {
    version: readPackageInfo().version,
    queue: { queued: queue.queuedCount, running: queue.runningCount },
    storage: { usedBytes: totalBytes, quotaBytes: finiteOrNull(quotaBytes), freeBytes: finiteOrNull(freeBytes) },
    users: users.map(({ id, username, created_at, quota_bytes }) => ({
      ...{ username, createdAt: isoTime(created_at), usedBytes: bytesByOwner.get(id) ?? 0 },
      ...{ quotaBytes: quota_bytes, isOwner: owners.includes(id) },
    })),
    clients: clients.map(({ id, created_at }) => ({ clientId: id, createdAt: isoTime(created_at) })),
  };
}

/** Registers the routes with which owners manage the users and clients, as the commands `user` and `client` do. */
export function registerOwnerRoutes(app: FastifyInstance, dependencies: OwnerRouteDependencies): void {
  const { accounts, passwordCost } = dependencies;
  const authenticate = createSessionAuthentication(dependencies);
  app.addHook('onRequest', async (request, reply) => {
    const user = await requireSession(authenticate, request, reply);
    if (!user.isOwner) throw new ServiceError('OWNER_ONLY', 'Only an owner of the service may do this.');
    request.userId = user.userId;
    reply.header('cache-control', 'no-store');
  });

  app.get('/ui/service', () => describeService(dependencies));

  app.post<{ Body: Static<typeof NewUser> }>('/ui/users', { schema: { body: NewUser } }, async (request, reply) => {
    const { username, password, quotaBytes = null } = request.body;
    const user = { username: requireName(username), password: requirePassword(password), quotaBytes };
    if (!(await addUserAccount(accounts, user, passwordCost))) throw accountExists('user', username);
    return reply.code(204).send();
  });

  app.patch<{ Body: Static<typeof UserChange>; Params: NameParams }>(
    '/ui/users/:name',
    { schema: { body: UserChange } },
    async ({ params: { name }, body: { password, quotaBytes } }, reply) => {
      if (password !== undefined) requirePassword(password); // before anything is changed
      if (quotaBytes !== undefined) requireAccount(await accounts.setQuota(name, quotaBytes), 'user', name);
      if (password !== undefined) {
        requireAccount(await changePassword(accounts, name, password, passwordCost), 'user', name);
      }
      return reply.code(204).send();
    },
  );

  app.delete<{ Params: NameParams }>('/ui/users/:name', async ({ params: { name }, userId }, reply) => {
    const user = await accounts.findUser(name);
    if (user?.id === userId) throw new ServiceError('FIELD_INVALID', 'You cannot remove your own user here.');
    requireAccount(await accounts.removeUser(name), 'user', name);
    return reply.code(204).send();
  });

  app.post<{ Body: Static<typeof NewClient> }>('/ui/clients', { schema: { body: NewClient } }, async ({ body }) => {
    const clientId = requireName(body.clientId);
    const clientSecret = await addClientAccount(accounts, clientId);
    if (clientSecret === undefined) throw accountExists('client', clientId);
    return { clientId, clientSecret };
  });

  app.delete<{ Params: NameParams }>('/ui/clients/:name', async ({ params: { name } }, reply) => {
    requireAccount(await accounts.removeClient(name), 'client', name);
    return reply.code(204).send();
  });
}
