// Selects the service of new nodes, and imports the examples with the service that the editor already has. The editor
// loads this script with the service node.
(() => {
  const SERVICE_TYPE = 'model-processing-service';
  // The id of the local service in all examples. A service that is created for a new node gets it, too.
  const SHARED_ID = '5c1e7a90d3b24010';
  // The URL of an example of this package, as the import dialog requests it.
  const EXAMPLE_URL = /(^|\/)library\/examples\/flows\/@model-processing\/node-red\//;

  // Returns the services that a node on the flow `z` can use.
  function listServices(z) {
    const services = [];
    RED.nodes.eachConfig((node) => {
      if (node.type === SERVICE_TYPE && !node.d && (!node.z || node.z === z)) services.push(node);
    });
    return services;
  }

  const findLocal = (services) => services.find(({ service }) => service === 'local');

  // Creates a local service in the editor.
  function createLocalService() {
    const definition = RED.nodes.getType(SERVICE_TYPE);
    const settings = Object.entries(definition.defaults).map(([name, { value }]) => [name, value]);
    const service = RED.nodes.add({
      ...Object.fromEntries(settings),
      id: RED.nodes.node(SHARED_ID) ? RED.nodes.id() : SHARED_ID,
      type: SERVICE_TYPE,
      users: [],
      credentials: {},
      label: definition.label,
      changed: true,
      _def: definition,
    });
    RED.editor.validateNode(service);
    return service;
  }

  // Adds the creation of `service` to the undo step in which `node` was added.
  function joinUndoStep(service, node) {
    const last = RED.history.peek();
    const step = [last, ...(last?.events ?? [])].find((event) => event?.nodes?.includes(node.id));
    if (step) step.nodes.unshift(service.id);
    else RED.history.push({ t: 'add', nodes: [service.id], dirty: RED.nodes.dirty() });
  }

  // Selects the service of a new node: the only one; otherwise the first local one, as local ones differ in their limits
  // only. Creates one if there is none. Selects none if there are several remote services.
  function selectService(node) {
    const services = listServices(node.z);
    const isCreated = services.length === 0;
    const service = isCreated ? createLocalService() : services.length === 1 ? services[0] : findLocal(services);
    if (!service) return;
    node.service = service.id;
    RED.nodes.updateConfigNodeUsers(node, { action: 'add' });
    // The editor records the undo step after the event.
    if (isCreated) queueMicrotask(() => joinUndoStep(service, node));
  }

  // A node that the user adds has a source: the palette, the quick-add menu or the clipboard. Flows that the editor loads
  // have none.
  RED.events.on('nodes:add', (node, options) => {
    if (options?.source && node._def?.defaults?.service?.type === SERVICE_TYPE && !node.service) selectService(node);
  });

  // Replaces the local service of an example by the one that the editor has. Otherwise the editor would report that the
  // service exists already, and ask what to do.
  function useExistingService(flow) {
    const services = listServices();
    const service = services.find(({ id }) => id === SHARED_ID) ?? findLocal(services);
    if (!service) return flow;
    const nodes = JSON.parse(flow).filter(({ id }) => id !== SHARED_ID);
    return JSON.stringify(nodes).replaceAll(SHARED_ID, service.id);
  }

  $.ajaxPrefilter((request) => {
    if (EXAMPLE_URL.test(request.url)) request.dataFilter = useExistingService;
  });
})();
