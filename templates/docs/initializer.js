// Shows the OpenAPI document of the server this page came from. Nothing is fetched from anywhere else.
fetch('/v1/openapi.json').then(async response => response.json()).then((spec) => {
  // The server makes one when it is absent: who tries an operation here need not.
  spec.components.parameters.correlationId.required = false;
  SwaggerUIBundle({
    spec,
    dom_id: '#interface',
    validatorUrl: null,
    queryConfigEnabled: false,
    docExpansion: 'list',
    presets: [ SwaggerUIBundle.presets.apis ],
  });
});
