#include "StudioPage.h"

// Scripts/studio-pages writes this file. Each file of the folder Page has an array here and a line in the table below. A test compares both
// with the folder.

// Clang has #embed in each version of C, and warns before C23.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

#define FILE_OF(name, type, bytes) {name, type, bytes, sizeof bytes}
#define HTML "text/html; charset=utf-8"
#define SCRIPT "text/javascript; charset=utf-8"
#define STYLE "text/css; charset=utf-8"
#define PICTURE "image/svg+xml"

static const unsigned char css_data_css[] = {
#embed "Page/css/data.css"
};

static const unsigned char css_screens_css[] = {
#embed "Page/css/screens.css"
};

static const unsigned char css_server_css[] = {
#embed "Page/css/server.css"
};

static const unsigned char css_shell_css[] = {
#embed "Page/css/shell.css"
};

static const unsigned char css_tokens_css[] = {
#embed "Page/css/tokens.css"
};

static const unsigned char index_html[] = {
#embed "Page/index.html"
};

static const unsigned char js_address_js[] = {
#embed "Page/js/address.js"
};

static const unsigned char js_app_js[] = {
#embed "Page/js/app.js"
};

static const unsigned char js_backups_js[] = {
#embed "Page/js/backups.js"
};

static const unsigned char js_bytes_js[] = {
#embed "Page/js/bytes.js"
};

static const unsigned char js_celleditor_js[] = {
#embed "Page/js/celleditor.js"
};

static const unsigned char js_classlist_js[] = {
#embed "Page/js/classlist.js"
};

static const unsigned char js_columns_js[] = {
#embed "Page/js/columns.js"
};

static const unsigned char js_command_js[] = {
#embed "Page/js/command.js"
};

static const unsigned char js_commands_js[] = {
#embed "Page/js/commands.js"
};

static const unsigned char js_commits_js[] = {
#embed "Page/js/commits.js"
};

static const unsigned char js_create_js[] = {
#embed "Page/js/create.js"
};

static const unsigned char js_data_js[] = {
#embed "Page/js/data.js"
};

static const unsigned char js_difference_js[] = {
#embed "Page/js/difference.js"
};

static const unsigned char js_documents_js[] = {
#embed "Page/js/documents.js"
};

static const unsigned char js_dom_js[] = {
#embed "Page/js/dom.js"
};

static const unsigned char js_edits_js[] = {
#embed "Page/js/edits.js"
};

static const unsigned char js_export_js[] = {
#embed "Page/js/export.js"
};

static const unsigned char js_extended_js[] = {
#embed "Page/js/extended.js"
};

static const unsigned char js_facets_js[] = {
#embed "Page/js/facets.js"
};

static const unsigned char js_fields_js[] = {
#embed "Page/js/fields.js"
};

static const unsigned char js_file_js[] = {
#embed "Page/js/file.js"
};

static const unsigned char js_format_js[] = {
#embed "Page/js/format.js"
};

static const unsigned char js_grid_js[] = {
#embed "Page/js/grid.js"
};

static const unsigned char js_gridkeys_js[] = {
#embed "Page/js/gridkeys.js"
};

static const unsigned char js_import_js[] = {
#embed "Page/js/import.js"
};

static const unsigned char js_layout_js[] = {
#embed "Page/js/layout.js"
};

static const unsigned char js_logs_js[] = {
#embed "Page/js/logs.js"
};

static const unsigned char js_main_js[] = {
#embed "Page/js/main.js"
};

static const unsigned char js_mapview_js[] = {
#embed "Page/js/mapview.js"
};

static const unsigned char js_migration_js[] = {
#embed "Page/js/migration.js"
};

static const unsigned char js_model_js[] = {
#embed "Page/js/model.js"
};

static const unsigned char js_object_js[] = {
#embed "Page/js/object.js"
};

static const unsigned char js_overview_js[] = {
#embed "Page/js/overview.js"
};

static const unsigned char js_palette_js[] = {
#embed "Page/js/palette.js"
};

static const unsigned char js_places_js[] = {
#embed "Page/js/places.js"
};

static const unsigned char js_plan_js[] = {
#embed "Page/js/plan.js"
};

static const unsigned char js_query_js[] = {
#embed "Page/js/query.js"
};

static const unsigned char js_refusals_js[] = {
#embed "Page/js/refusals.js"
};

static const unsigned char js_rows_js[] = {
#embed "Page/js/rows.js"
};

static const unsigned char js_rules_js[] = {
#embed "Page/js/rules.js"
};

static const unsigned char js_schema_js[] = {
#embed "Page/js/schema.js"
};

static const unsigned char js_search_js[] = {
#embed "Page/js/search.js"
};

static const unsigned char js_server_js[] = {
#embed "Page/js/server.js"
};

static const unsigned char js_session_js[] = {
#embed "Page/js/session.js"
};

static const unsigned char js_sessions_js[] = {
#embed "Page/js/sessions.js"
};

static const unsigned char js_shell_js[] = {
#embed "Page/js/shell.js"
};

static const unsigned char js_sight_js[] = {
#embed "Page/js/sight.js"
};

static const unsigned char js_start_js[] = {
#embed "Page/js/start.js"
};

static const unsigned char js_table_js[] = {
#embed "Page/js/table.js"
};

static const unsigned char js_trail_js[] = {
#embed "Page/js/trail.js"
};

static const unsigned char js_transfer_js[] = {
#embed "Page/js/transfer.js"
};

static const unsigned char js_treemap_js[] = {
#embed "Page/js/treemap.js"
};

static const unsigned char js_ui_js[] = {
#embed "Page/js/ui.js"
};

static const unsigned char js_users_js[] = {
#embed "Page/js/users.js"
};

static const unsigned char js_values_js[] = {
#embed "Page/js/values.js"
};

static const unsigned char mark_svg[] = {
#embed "Page/mark.svg"
};

static const studio_page_file files[] = {
    FILE_OF("css/data.css", STYLE, css_data_css),
    FILE_OF("css/screens.css", STYLE, css_screens_css),
    FILE_OF("css/server.css", STYLE, css_server_css),
    FILE_OF("css/shell.css", STYLE, css_shell_css),
    FILE_OF("css/tokens.css", STYLE, css_tokens_css),
    FILE_OF("index.html", HTML, index_html),
    FILE_OF("js/address.js", SCRIPT, js_address_js),
    FILE_OF("js/app.js", SCRIPT, js_app_js),
    FILE_OF("js/backups.js", SCRIPT, js_backups_js),
    FILE_OF("js/bytes.js", SCRIPT, js_bytes_js),
    FILE_OF("js/celleditor.js", SCRIPT, js_celleditor_js),
    FILE_OF("js/classlist.js", SCRIPT, js_classlist_js),
    FILE_OF("js/columns.js", SCRIPT, js_columns_js),
    FILE_OF("js/command.js", SCRIPT, js_command_js),
    FILE_OF("js/commands.js", SCRIPT, js_commands_js),
    FILE_OF("js/commits.js", SCRIPT, js_commits_js),
    FILE_OF("js/create.js", SCRIPT, js_create_js),
    FILE_OF("js/data.js", SCRIPT, js_data_js),
    FILE_OF("js/difference.js", SCRIPT, js_difference_js),
    FILE_OF("js/documents.js", SCRIPT, js_documents_js),
    FILE_OF("js/dom.js", SCRIPT, js_dom_js),
    FILE_OF("js/edits.js", SCRIPT, js_edits_js),
    FILE_OF("js/export.js", SCRIPT, js_export_js),
    FILE_OF("js/extended.js", SCRIPT, js_extended_js),
    FILE_OF("js/facets.js", SCRIPT, js_facets_js),
    FILE_OF("js/fields.js", SCRIPT, js_fields_js),
    FILE_OF("js/file.js", SCRIPT, js_file_js),
    FILE_OF("js/format.js", SCRIPT, js_format_js),
    FILE_OF("js/grid.js", SCRIPT, js_grid_js),
    FILE_OF("js/gridkeys.js", SCRIPT, js_gridkeys_js),
    FILE_OF("js/import.js", SCRIPT, js_import_js),
    FILE_OF("js/layout.js", SCRIPT, js_layout_js),
    FILE_OF("js/logs.js", SCRIPT, js_logs_js),
    FILE_OF("js/main.js", SCRIPT, js_main_js),
    FILE_OF("js/mapview.js", SCRIPT, js_mapview_js),
    FILE_OF("js/migration.js", SCRIPT, js_migration_js),
    FILE_OF("js/model.js", SCRIPT, js_model_js),
    FILE_OF("js/object.js", SCRIPT, js_object_js),
    FILE_OF("js/overview.js", SCRIPT, js_overview_js),
    FILE_OF("js/palette.js", SCRIPT, js_palette_js),
    FILE_OF("js/places.js", SCRIPT, js_places_js),
    FILE_OF("js/plan.js", SCRIPT, js_plan_js),
    FILE_OF("js/query.js", SCRIPT, js_query_js),
    FILE_OF("js/refusals.js", SCRIPT, js_refusals_js),
    FILE_OF("js/rows.js", SCRIPT, js_rows_js),
    FILE_OF("js/rules.js", SCRIPT, js_rules_js),
    FILE_OF("js/schema.js", SCRIPT, js_schema_js),
    FILE_OF("js/search.js", SCRIPT, js_search_js),
    FILE_OF("js/server.js", SCRIPT, js_server_js),
    FILE_OF("js/session.js", SCRIPT, js_session_js),
    FILE_OF("js/sessions.js", SCRIPT, js_sessions_js),
    FILE_OF("js/shell.js", SCRIPT, js_shell_js),
    FILE_OF("js/sight.js", SCRIPT, js_sight_js),
    FILE_OF("js/start.js", SCRIPT, js_start_js),
    FILE_OF("js/table.js", SCRIPT, js_table_js),
    FILE_OF("js/trail.js", SCRIPT, js_trail_js),
    FILE_OF("js/transfer.js", SCRIPT, js_transfer_js),
    FILE_OF("js/treemap.js", SCRIPT, js_treemap_js),
    FILE_OF("js/ui.js", SCRIPT, js_ui_js),
    FILE_OF("js/users.js", SCRIPT, js_users_js),
    FILE_OF("js/values.js", SCRIPT, js_values_js),
    FILE_OF("mark.svg", PICTURE, mark_svg),
};

studio_page_file studio_page_file_at(unsigned long position) {
    const studio_page_file none = {0, 0, 0, 0};
    return position < sizeof files / sizeof files[0] ? files[position] : none;
}
