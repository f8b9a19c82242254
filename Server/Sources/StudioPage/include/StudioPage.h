#ifndef STUDIO_PAGE_H
#define STUDIO_PAGE_H

// A file of the page that is part of the program.
typedef struct {
    const char *name;
    const char *type;
    const unsigned char *bytes;
    unsigned long count;
} studio_page_file;

// Returns the file at a position, or a file whose name is null behind the last one.
studio_page_file studio_page_file_at(unsigned long position);

#endif
