// Shows the OpenAPI document of the server this page came from. Nothing is fetched from anywhere else.
SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#interface',
  validatorUrl: null,
  queryConfigEnabled: false,
  docExpansion: 'list',
  presets: [ SwaggerUIBundle.presets.apis ],
});
