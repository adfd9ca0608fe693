// A shared library that is no plugin.
extern "C" int plugin_empty_is_no_plugin() { return 0; }
